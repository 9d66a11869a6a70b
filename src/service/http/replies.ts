import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { yieldToEventLoop } from '../../base/clock/real-globals.ts';
import { applyChangeToText, type CompatibleChange } from '../../engine/faults/compatible-changes.ts';
import { requestContextOf } from './request.ts';
import { Reply, STREAM_HEADERS, sendJsonText, setStatusAndContextHeaders, writeHead } from './send.ts';

export class DownloadReply extends Reply {
  readonly body: Readable;
  readonly #contentType: string;

  constructor(body: Readable, contentType: string) {
    super();
    this.body = body;
    this.#contentType = contentType;
  }

  async sendTo(response: ServerResponse): Promise<void> {
    setStatusAndContextHeaders(response, 200);
    response.setHeader('content-type', this.#contentType);
    await pipeline(this.body, response).catch(() => response.destroy());
  }
}

export class BytesReply extends Reply {
  readonly body: Buffer;
  readonly contentType: string;

  constructor(body: Buffer, contentType: string) {
    super();
    this.body = body;
    this.contentType = contentType;
  }

  sendTo(response: ServerResponse, status: number): void {
    const { body, contentType } = this;
    const isChunked = requestContextOf(response).change === 'chunked';
    const type = ['content-type', contentType];
    writeHead(response, status, isChunked ? type : [...type, 'content-length', String(body.length)]);
    if (isChunked) response.write(body.subarray(0, 1));
    response.end(isChunked ? body.subarray(1) : body);
  }
}

export class AcceptedReply extends Reply {
  readonly body: object;

  constructor(body: object) {
    super();
    this.body = body;
  }

  sendTo(response: ServerResponse): void {
    sendJsonText(response, JSON.stringify(this.body), 202);
  }
}

/** Rows, and events that need not wait, are collected until they reach this many characters. One write each is slow. */
const PIECE = 65_536;

export function writePiece(response: ServerResponse, piece: string | Uint8Array): Promise<void> {
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

export class LongListReply extends Reply {
  readonly #rows: AsyncIterable<readonly object[]>;
  readonly #frame: object;

  constructor(rows: AsyncIterable<readonly object[]>, frame: object = { object: 'list' }) {
    super();
    this.#rows = rows;
    this.#frame = frame;
  }

  async whole(): Promise<object> {
    const data: object[] = [];
    for await (const rows of this.#rows) data.push(...rows);
    return { ...this.#frame, data };
  }

  /** An error before the first piece is returned; a later one cuts the connection. */
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
    if (response.headersSent) response.end(piece);
    else sendJsonText(response, piece, status);
  }
}

async function sendPiece(response: ServerResponse, piece: string, status: number): Promise<void> {
  const requestContext = requestContextOf(response);
  if (!response.headersSent) writeHead(response, status, ['content-type', 'application/json; charset=utf-8']);
  // The first piece is enough for the journal, which keeps less.
  requestContext.answer ??= piece;
  await writePiece(response, piece);
  await yieldToEventLoop();
}

/** Longer lists are serialized in pieces, so that other work continues. */
export const MAX_ROWS_AT_ONCE = 64;

/** Returns the list unchanged if a fault rule changes the response. */
export function asStreamedListReply(answer: { data: readonly object[] }, response: ServerResponse): object {
  return requestContextOf(response).change ? answer : new LongListReply(parts(answer.data), answer);
}

async function* parts(rows: readonly object[]): AsyncGenerator<readonly object[]> {
  for (let from = 0; from < rows.length; from += MAX_ROWS_AT_ONCE) yield rows.slice(from, from + MAX_ROWS_AT_ONCE);
}

/** Each item is the text of one `data:` line. For an asynchronous iterable, the headers are sent immediately. */
export class EventStreamReply extends Reply {
  readonly events: Items;

  constructor(events: Items) {
    super();
    this.events = events;
  }

  /** If the events throw, the connection is closed without an end of the stream. */
  async sendTo(response: ServerResponse): Promise<void> {
    const requestContext = requestContextOf(response);
    const { change } = requestContext;
    const events = change ? changedItems(this.events, change) : this.events;
    writeHead(response, 200, STREAM_HEADERS);
    requestContext.annotations.streamed = true;
    const sent: string[] = [];
    try {
      if (!(Symbol.iterator in events)) await sendInTime(response, events, sent);
      else if (change === 'stream_cut') await sendCut(response, events, sent);
      else await sendAtOnce(response, events, sent);
      requestContext.answer = sent.join('\n');
      response.end();
    } catch {
      requestContext.answer = sent.join('\n');
      response.destroy();
    }
  }
}

async function sendAtOnce(response: ServerResponse, events: Iterable<string>, sent: string[]): Promise<void> {
  let piece = '';
  for (const event of events) {
    sent.push(event);
    piece += asLine(event);
    if (piece.length < PIECE) continue;
    if (!response.write(piece)) await drained(response);
    if (response.destroyed) return;
    piece = '';
  }
  response.write(piece);
}

async function sendInTime(response: ServerResponse, events: AsyncIterable<string>, sent: string[]): Promise<void> {
  response.flushHeaders();
  const isCut = requestContextOf(response).change === 'stream_cut';
  for await (const event of events) {
    if (response.destroyed) return;
    sent.push(event);
    const parts = isCut ? inTwo(asLine(event)) : [asLine(event)];
    for (const part of parts) await writePiece(response, part);
  }
}

type Items = Iterable<string> | AsyncIterable<string>;

const COMMENT = '\n\n: keep-alive';

function changedItems(events: Items, change: CompatibleChange): Items {
  const changed = (item: string) => {
    if (change === 'stream_cut') return item + COMMENT;
    return item === '[DONE]' ? item : applyChangeToText(item, 200, change);
  };
  if (Symbol.iterator in events) return [...events].map(changed);
  return (async function* () {
    for await (const item of events) yield changed(item);
  })();
}

function asLine(data: string): string {
  return `data: ${data}\n\n`;
}

const CUT_EVERY = 3;

/** Splits the stream inside events, so that a client must find the end of each event by its empty line. */
async function sendCut(response: ServerResponse, events: Iterable<string>, sent: string[]): Promise<void> {
  let rest = Buffer.alloc(0);
  let at = 0;
  for (const event of events) {
    sent.push(event);
    const line = asLine(event);
    at += 1;
    if (at % CUT_EVERY !== 1) {
      rest = Buffer.concat([rest, Buffer.from(line)]);
      continue;
    }
    const [start, end] = inTwo(line);
    await writePiece(response, Buffer.concat([rest, start]));
    if (response.destroyed) return;
    // Sends the first half now, because one packet could otherwise contain both.
    await yieldToEventLoop();
    rest = end;
  }
  await writePiece(response, rest);
}

function inTwo(line: string): [Buffer<ArrayBuffer>, Buffer<ArrayBuffer>] {
  const bytes = Buffer.from(line);
  const wide = bytes.findIndex((byte) => byte >= 0x80);
  const at = wide === -1 ? bytes.length >> 1 : wide + 1;
  return [bytes.subarray(0, at), bytes.subarray(at)];
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.once('drain', done).once('close', done);
  });
}
