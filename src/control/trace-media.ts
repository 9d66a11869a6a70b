import type { Row } from '../trace/trace-file.ts';
import type { MediaSize, TraceBytes } from './trace-order.ts';

/** Bytes of all files of a trace, and of one of them. */
const MOST_BYTES: Record<MediaSize, number> = { none: 0, small: 8 * 1_048_576, whole: 256 * 1_048_576 };
const MOST_OF_ONE = 64 * 1_048_576;
/** Bytes that are made base64 at once: by threes, so that the pieces are one. */
const PIECE = 3 * 65_536;

type ReadFile = (path: string, query: string) => Promise<TraceBytes | undefined>;

/** The newest files of a run that there is room for: small pictures of all, which of a sound are its peaks; or all of them. */
export class TraceMedia {
  /** How many there was no room for, or could not be read any more. */
  leftOut = 0;
  readonly #size: MediaSize;
  readonly #urls: string[] = [];

  constructor(size: MediaSize) {
    this.#size = size;
  }

  /** Looks at the rows of the library as they pass, newest first. */
  async *seen(library: AsyncIterable<Row>): AsyncGenerator<Row> {
    for await (const row of library) {
      if (this.#size !== 'none') this.#urls.push(String(row.thumbnail_url));
      if (this.#size === 'whole') this.#urls.push(String(row.url));
      yield row;
    }
  }

  /** Each as a data URL in pieces of JSON, by its path. */
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
  yield `"data:${contentType};base64,`;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  for (let from = 0; from < bytes.length; from += PIECE) yield bytes.toString('base64', from, from + PIECE);
  yield '"';
}
