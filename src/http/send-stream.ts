import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { requestContextOf } from './request-context.ts';
import { encodingOf, Reply, sendText, sendTold, setHead, writeHead } from './send.ts';

/** A stream of bytes of a media type, read at the client's pace. */
export class Download extends Reply {
  readonly body: Readable;
  readonly #contentType: string;
  readonly #name: string | undefined;

  /** `name`: the file name that a client is offered; undefined for what is to be shown. */
  constructor(body: Readable, contentType: string, name?: string) {
    super();
    this.body = body;
    this.#contentType = contentType;
    this.#name = name;
  }

  async sendTo(response: ServerResponse): Promise<void> {
    setHead(response, 200);
    response.setHeader('content-type', this.#contentType);
    if (this.#name) response.setHeader('content-disposition', `attachment; filename="${this.#name}"`);
    // A client that hangs up ends it; there is nothing to answer.
    await pipeline(this.body, response).catch(() => response.destroy());
  }
}

/** About how many characters are sent in one write: one write for each event would be a thousand for a long reply. */
export const PIECE = 65_536;

/** Resolves when the piece has been sent, or the connection is closed. */
export function written(response: ServerResponse, piece: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('close', done);
      resolve();
    };
    response.once('close', done);
    response.write(piece, done);
  });
}

const NO_ROWS = '"data":[]';

/** A list whose rows are read, piece by piece, while they are sent: few of them are in memory at a time. */
export class LongList extends Reply {
  readonly #rows: AsyncIterable<readonly object[]>;
  readonly #frame: object;

  /** `frame`: what stands around the rows. */
  constructor(rows: AsyncIterable<readonly object[]>, frame: object = { object: 'list' }) {
    super();
    this.#rows = rows;
    this.#frame = frame;
  }

  /** The list as a whole. */
  async whole(): Promise<object> {
    const data: object[] = [];
    for await (const rows of this.#rows) data.push(...rows);
    return { ...this.#frame, data };
  }

  /** What goes wrong before the first piece is an error, and later cuts the connection. */
  async sendTo(response: ServerResponse, status: number): Promise<void> {
    const around = JSON.stringify({ ...this.#frame, data: [] });
    const start = around.indexOf(NO_ROWS) + NO_ROWS.length - 1;
    let piece = around.slice(0, start);
    let comma = '';
    for await (const rows of this.#rows) {
      for (const row of rows) {
        piece += comma + JSON.stringify(row);
        comma = ',';
      }
      if (piece.length < PIECE) continue;
      await sendPiece(response, piece, status);
      if (response.destroyed) return;
      piece = '';
    }
    piece += around.slice(start);
    if (response.headersSent) response.end(piece, encodingOf(piece));
    else sendText(response, piece, status);
  }
}

async function sendPiece(response: ServerResponse, piece: string, status: number): Promise<void> {
  const requestContext = requestContextOf(response);
  if (!response.headersSent) writeHead(response, status, ['content-type', 'application/json; charset=utf-8']);
  // The journal keeps less than that.
  requestContext.answer ??= piece;
  await written(response, piece);
  await nextTurn();
}

/** The text of a longer list may take long: other work goes on between two pieces of it. */
export const MANY_ROWS = 64;

/** A long list as one that is written in pieces, unless a lie changes it. */
export function inPieces(answer: { data: readonly object[] }, response: ServerResponse): object {
  return requestContextOf(response).lying ? answer : new LongList(parts(answer.data), answer);
}

async function* parts(rows: readonly object[]): AsyncGenerator<readonly object[]> {
  for (let from = 0; from < rows.length; from += MANY_ROWS) yield rows.slice(from, from + MANY_ROWS);
}

/** Bytes of a media type. */
export class Bytes extends Reply {
  readonly body: Buffer;
  readonly contentType: string;

  constructor(body: Buffer, contentType: string) {
    super();
    this.body = body;
    this.contentType = contentType;
  }

  sendTo(response: ServerResponse, status: number): void {
    const { body: bytes, contentType } = this;
    const told = requestContextOf(response).lying?.tell({ status, contentType, bytes });
    if (told) {
      sendTold(response, told);
      return;
    }
    setHead(response, status);
    response.setHeader('content-type', contentType);
    response.setHeader('content-length', bytes.length);
    response.end(this.body);
  }
}
