import type { Readable } from 'node:stream';

/** An answer that is more than JSON with the status of its operation. */
export type Reply = Accepted | Broadcast | Bytes | Download | EventStream | LongList | NoContent | WithBase64;

/** Bytes of a media type. */
export class Bytes {
  readonly body: Buffer;
  readonly contentType: string;

  constructor(body: Buffer, contentType: string) {
    this.body = body;
    this.contentType = contentType;
  }
}

/** A stream of bytes of a media type, read at the client's pace. */
export class Download {
  readonly body: Readable;
  readonly contentType: string;
  /** The file name that a client is offered; undefined for what is to be shown. */
  readonly name: string | undefined;

  constructor(body: Readable, contentType: string, name?: string) {
    this.body = body;
    this.contentType = contentType;
    this.name = name;
  }
}

/**
 * Server-sent events: each item is the text of one `data:` line. Events that exist already are sent in as few writes as
 * possible; of an asynchronous iterable the headers are sent at once, and each event before the next one is read.
 */
export class EventStream {
  readonly events: Iterable<string> | AsyncIterable<string>;

  constructor(events: Iterable<string> | AsyncIterable<string>) {
    this.events = events;
  }
}

/** A list whose rows are read, piece by piece, while they are sent: few of them are in memory at a time. */
export class LongList {
  readonly rows: AsyncIterable<readonly object[]>;

  constructor(rows: AsyncIterable<readonly object[]>) {
    this.rows = rows;
  }

  /** The list as a whole. */
  async whole(): Promise<{ object: 'list'; data: object[] }> {
    const data: object[] = [];
    for await (const rows of this.rows) data.push(...rows);
    return { object: 'list', data };
  }
}

/** 204. */
export class NoContent {
  readonly status = 204;
}

/** A JSON answer of 202: the work has started. */
export class Accepted {
  readonly body: object;

  constructor(body: object) {
    this.body = body;
  }
}

/**
 * A JSON answer with the bytes of a file: `body` has an empty `b64_json`, into which `base64` is inserted. Base64 needs no
 * escaping, and checking for it would take as long as the rest of the answer.
 */
export class WithBase64 {
  readonly body: object;
  readonly base64: string;

  constructor(body: object, base64: string) {
    this.body = body;
    this.base64 = base64;
  }
}

/** Server-sent events that are written for as long as the client stays; `join` answers what ends it. */
export class Broadcast {
  readonly join: (sink: { write(text: string): void; end(): void }) => () => void;

  constructor(join: Broadcast['join']) {
    this.join = join;
  }
}
