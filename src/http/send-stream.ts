import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { requestContextOf } from './request-context.ts';
import { encodingOf, Reply, setHead, writeHead } from './send.ts';

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

/**
 * Server-sent events: each item is the text of one `data:` line. Events that exist already are sent in as few writes as
 * possible; of an asynchronous iterable the headers are sent at once, and each event before the next one is read.
 */
export class EventStream extends Reply {
  readonly events: Iterable<string> | AsyncIterable<string>;

  constructor(events: Iterable<string> | AsyncIterable<string>) {
    super();
    this.events = events;
  }

  /** Where the events throw, the connection is closed without the end of the answer. */
  async sendTo(response: ServerResponse): Promise<void> {
    const { events } = this;
    writeHead(response, 200, ['content-type', 'text/event-stream; charset=utf-8', 'cache-control', 'no-cache']);
    const requestContext = requestContextOf(response);
    requestContext.facts.streamed = true;
    const sent: string[] = [];
    try {
      if (Symbol.iterator in events) await sendAtOnce(response, events, sent);
      else await sendInTime(response, events, sent);
      requestContext.answer = sent.join('\n');
      response.end();
    } catch {
      requestContext.answer = sent.join('\n');
      response.destroy();
    }
  }
}

/** About how many characters are sent in one write: one write for each event would be a thousand for a long reply. */
const PIECE = 65_536;

async function sendAtOnce(response: ServerResponse, events: Iterable<string>, sent: string[]): Promise<void> {
  let piece = '';
  for (const event of events) {
    sent.push(event);
    piece += asLine(event);
    if (piece.length < PIECE) continue;
    if (!response.write(piece, encodingOf(piece))) await drained(response);
    if (response.destroyed) return;
    piece = '';
  }
  response.write(piece, encodingOf(piece));
}

async function sendInTime(response: ServerResponse, events: AsyncIterable<string>, sent: string[]): Promise<void> {
  response.flushHeaders();
  for await (const event of events) {
    if (response.destroyed) return;
    sent.push(event);
    await written(response, asLine(event));
  }
}

function asLine(data: string): string {
  return `data: ${data}\n\n`;
}

/** Characters that may wait for a slow client; beyond them it is cut, and can reconnect for what it missed. */
const MOST_UNREAD = 4 * 1_048_576;

/** Server-sent events that are written for as long as the client stays; `join` answers what ends it. */
export class Broadcast extends Reply {
  readonly join: (sink: { write(text: string): void; end(): void }) => () => void;

  constructor(join: Broadcast['join']) {
    super();
    this.join = join;
  }

  /** Resolves when the client has gone. */
  sendTo(response: ServerResponse): Promise<void> {
    setHead(response, 200);
    response.setHeader('content-type', 'text/event-stream; charset=utf-8');
    response.setHeader('cache-control', 'no-cache');
    response.flushHeaders();
    return new Promise((resolve) => {
      const write = (text: string) => {
        response.write(text);
        if (response.writableLength > MOST_UNREAD) response.destroy();
      };
      const leave = this.join({ write, end: () => response.end() });
      const gone = () => {
        leave();
        resolve();
      };
      if (response.destroyed) gone();
      else response.once('close', gone);
    });
  }
}

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

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once('drain', resolve);
    response.once('close', resolve);
  });
}
