import type { CatalogueFile } from '../catalogue/catalogue-file.ts';
import type { SentFixture } from '../fixtures/nearest-fixture.ts';
import type { OutputKinds } from '../flows/step-kind.ts';
import type { Context } from '../http/context.ts';
import type { AuditRow } from '../journal/audit-store.ts';
import type { NewestRequests } from '../journal/journal.ts';
import type { JournalRow } from '../journal/journal-store.ts';
import type { ThreadFailure } from '../storage/thread-failure.ts';
import type { OutputLine, TraceHead } from '../trace/trace-file.ts';

export const MEDIA = ['none', 'small', 'whole'] as const;
export type MediaSize = (typeof MEDIA)[number];

/** What a trace holds at most of each kind of row. */
export const MOST_ROWS = 50_000;

/** Of what a thread is to make a trace: it reads the database by itself, and asks for what it cannot reach. */
export interface TraceOrder {
  /** The file of the database, and that of the page, which is not there yet. */
  database: string;
  target: string;
  baseUrl: string;
  accountId: string | undefined;
  media: MediaSize;
  /** Texts that are masked. */
  secrets: readonly string[];
  head: Omit<TraceHead, 'span' | 'leftOut'>;
  /** Milliseconds of the machine's clock; it began with the first request or line of output, unless that is known. */
  span: { began: number | undefined; firstLine: number | undefined; ended: number };
  /** Older requests and acts of which there is no room. */
  leftOut: { requests: number; acts: boolean };
  /** Milliseconds of the emulator's clock. */
  now: number;
  seed: number | undefined;
  catalogue: CatalogueFile;
  fixtures: readonly SentFixture[];
  kinds: OutputKinds;
}

/** Rows that come by pieces: an empty one is the end. `stories` are requests once more, newest first. */
export interface TraceRows {
  requests: JournalRow;
  stories: JournalRow;
  acts: AuditRow;
  output: OutputLine;
}

/** A file as the CDN serves it. */
export interface TraceBytes {
  body: Uint8Array;
  contentType: string;
}

/** What a thread asks for, one thing after another. */
export type TraceAsk = { rows: keyof TraceRows } | { file: { path: string; query: string } };

/** What it says. */
export type TraceReport = { ask: TraceAsk } | { done: true } | ThreadFailure;

/** What a trace holds at most: requests, and bytes of their bodies. */
const MOST_REQUESTS = { rows: 20_000, bytes: 48 * 1_048_576 };
/** Characters of output that are handed over at once, but for the last line. */
const PIECE = 131_072;

type Parts = Pick<Context, 'journal' | 'audit' | 'served'>;

/** What the thread that makes a trace cannot read by itself, handed over in pieces: none holds anybody else up. */
export class TraceSources {
  readonly leftOut: { requests: number; acts: boolean };
  readonly #parts: Parts;
  readonly #requests: NewestRequests;
  readonly #positions: { requests: number; stories: number; acts: number };
  readonly #pieces: Iterator<OutputLine[]>;

  static async open(parts: Parts, accountId: string | undefined, output: readonly OutputLine[]): Promise<TraceSources> {
    return new TraceSources(parts, await parts.journal.newest(accountId, MOST_REQUESTS), output);
  }

  private constructor(parts: Parts, requests: NewestRequests, output: readonly OutputLine[]) {
    this.#parts = parts;
    this.#requests = requests;
    const acts = parts.audit.positionBefore(MOST_ROWS);
    this.#positions = { requests: requests.after, stories: requests.before, acts };
    this.#pieces = piecesOf(output);
    this.leftOut = { requests: requests.leftOut, acts: acts > 0 };
  }

  answer(ask: TraceAsk): Promise<TraceBytes | undefined> | TraceRows[keyof TraceRows][] {
    return 'rows' in ask ? this.#next[ask.rows]() : this.#file(ask.file);
  }

  readonly #next: { [Kind in keyof TraceRows]: () => TraceRows[Kind][] } = {
    requests: () => {
      const rows = this.#parts.journal.piece({
        ...this.#requests,
        after: this.#positions.requests,
        newestFirst: false,
      });
      this.#positions.requests = rows.at(-1)?.position ?? this.#positions.requests;
      return rows;
    },
    stories: () => {
      const rows = this.#parts.journal.piece({ ...this.#requests, before: this.#positions.stories, newestFirst: true });
      this.#positions.stories = rows.at(-1)?.position ?? this.#positions.stories;
      return rows;
    },
    acts: () => {
      const rows = this.#parts.audit.piece(this.#positions.acts);
      this.#positions.acts = rows.at(-1)?.position ?? this.#positions.acts;
      return rows;
    },
    output: () => this.#pieces.next().value ?? [],
  };

  /** Undefined for what cannot be read any more: the trace is of what there is. */
  async #file({ path, query }: { path: string; query: string }): Promise<TraceBytes | undefined> {
    const { served } = this.#parts;
    try {
      const found = path.startsWith('/cdn/thumbnails/') ? await served.draw(path, query) : served.find(path, query);
      return { body: await served.read(found.file), contentType: found.contentType };
    } catch {
      return undefined;
    }
  }
}

function* piecesOf(output: readonly OutputLine[]): Generator<OutputLine[]> {
  for (let from = 0; from < output.length; ) {
    let to = from;
    for (let size = 0; to < output.length && size < PIECE; to += 1) size += output[to]?.text.length ?? 0;
    yield output.slice(from, to);
    from = to;
  }
}
