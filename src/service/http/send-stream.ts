import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { requestContextOf } from './request.ts';
import { encodingOf, Reply, sendText, writeHead } from './send.ts';

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

/** A long list as one that is written in pieces, unless it may be changed. */
export function inPieces(answer: { data: readonly object[] }, response: ServerResponse): object {
  return requestContextOf(response).change ? answer : new LongList(parts(answer.data), answer);
}

async function* parts(rows: readonly object[]): AsyncGenerator<readonly object[]> {
  for (let from = 0; from < rows.length; from += MANY_ROWS) yield rows.slice(from, from + MANY_ROWS);
}
