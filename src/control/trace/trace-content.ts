import type { OutputLine } from '../../base/output/output-line.ts';
import type { Journal, NewestRequests } from '../../engine/journal/journal.ts';
import type { JournalRow } from '../../engine/journal/journal-store.ts';
import type { ServedFiles } from '../../engine/library/served-files.ts';
import type { TraceHead } from './trace-file.ts';

/** Bytes of all files together, and of one file. */
const MOST_BYTES: Record<MediaSize, number> = { none: 0, small: 8 * 1_048_576, whole: 256 * 1_048_576 };
const MOST_OF_ONE = 64 * 1_048_576;
/** Encoded at once. A multiple of three, so that the pieces can be joined. */
const PIECE = 3 * 65_536;

type ReadFile = (path: string, query: string) => Promise<TraceBytes | undefined>;

/** The newest files that fit: whole, or as thumbnails and waveforms. */
export class TraceMedia {
  leftOut = 0;
  readonly #size: MediaSize;
  readonly #urls = new Set<string>();

  constructor(size: MediaSize) {
    this.#size = size;
  }

  add(made: readonly { url: string; thumbnail_url: string }[]): void {
    if (this.#size === 'none') return;
    for (const { url, thumbnail_url: picture } of made) {
      this.#urls.add(picture);
      if (this.#size === 'whole') this.#urls.add(url);
    }
  }

  async *fields(read: ReadFile): AsyncGenerator<[path: string, pieces: Iterable<string>]> {
    let room = MOST_BYTES[this.#size];
    for (const url of this.#urls) {
      const { pathname, search } = new URL(url, 'http://localhost');
      const found = room > 0 ? await read(pathname, search.slice(1)) : undefined;
      if (!found || found.body.length > Math.min(room, MOST_OF_ONE)) {
        this.leftOut += 1;
        continue;
      }
      room -= found.body.length;
      yield [pathname, dataUrl(found)];
    }
  }
}

function* dataUrl({ body, contentType }: TraceBytes): Generator<string> {
  // A media type may contain quotes.
  yield JSON.stringify(`data:${contentType};base64,`).slice(0, -1);
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  for (let from = 0; from < bytes.length; from += PIECE) yield bytes.toString('base64', from, from + PIECE);
  yield '"';
}

export const MEDIA = ['none', 'small', 'whole'] as const;
type MediaSize = (typeof MEDIA)[number];

export interface TraceOrder {
  baseUrl: string;
  accountId: string | undefined;
  media: MediaSize;
  secrets: readonly string[];
  head: Omit<TraceHead, 'span' | 'leftOut'>;
  /** Milliseconds of the machine's clock. Without a known beginning, the first request or output line counts. */
  span: { began: number | undefined; firstLine: number | undefined; ended: number };
  requests: NewestRequests;
  output: readonly OutputLine[];
}

interface TraceBytes {
  body: Uint8Array;
  contentType: string;
}

const MOST_REQUESTS = { rows: 5000, bytes: 48 * 1_048_576 };

export function newestRequests(journal: Journal, accountId: string | undefined) {
  return journal.newest(accountId, MOST_REQUESTS);
}

/** Newest first, in pieces, to save memory. */
export function* requestRows(journal: Journal, requests: NewestRequests): Generator<JournalRow> {
  for (let { before } = requests; ; ) {
    const rows = journal.piece({ ...requests, before, newestFirst: true });
    const last = rows.at(-1)?.position;
    if (last === undefined) return;
    yield* rows;
    before = last;
  }
}

/** Undefined for a file that can no longer be read. */
export async function readMedia(served: ServedFiles, path: string, query: string): Promise<TraceBytes | undefined> {
  try {
    const found = path.startsWith('/cdn/thumbnails/') ? await served.draw(path, query) : served.find(path, query);
    return { body: await served.read(found.file), contentType: found.contentType };
  } catch {
    return undefined;
  }
}
