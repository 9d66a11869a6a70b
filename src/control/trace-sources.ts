import type { Context } from '../http/context.ts';
import type { NewestRequests } from '../journal/journal.ts';
import type { OutputLine } from '../trace/trace-file.ts';
import { MOST_ROWS, type TraceAsk, type TraceBytes, type TraceRows } from './trace-order.ts';

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
  readonly #places: { requests: number; stories: number; acts: number };
  readonly #pieces: Iterator<OutputLine[]>;

  static async open(parts: Parts, accountId: string | undefined, output: readonly OutputLine[]): Promise<TraceSources> {
    return new TraceSources(parts, await parts.journal.newest(accountId, MOST_REQUESTS), output);
  }

  private constructor(parts: Parts, requests: NewestRequests, output: readonly OutputLine[]) {
    this.#parts = parts;
    this.#requests = requests;
    const acts = parts.audit.positionBefore(MOST_ROWS);
    this.#places = { requests: requests.after, stories: requests.before, acts };
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
        after: this.#places.requests,
        newestFirst: false,
      });
      this.#places.requests = rows.at(-1)?.position ?? this.#places.requests;
      return rows;
    },
    stories: () => {
      const rows = this.#parts.journal.piece({ ...this.#requests, before: this.#places.stories, newestFirst: true });
      this.#places.stories = rows.at(-1)?.position ?? this.#places.stories;
      return rows;
    },
    acts: () => {
      const rows = this.#parts.audit.piece(this.#places.acts);
      this.#places.acts = rows.at(-1)?.position ?? this.#places.acts;
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
