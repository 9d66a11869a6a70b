import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { requestContextOf } from './request.ts';
import { encodingOf, Reply, writeHead } from './send.ts';
import { PIECE, written } from './send-stream.ts';

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
      if (!(Symbol.iterator in events)) await sendInTime(response, events, sent);
      else if (requestContext.change?.cutsStream) await sendCut(response, events, sent);
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
    if (!response.write(piece, encodingOf(piece))) await drained(response);
    if (response.destroyed) return;
    piece = '';
  }
  response.write(piece, encodingOf(piece));
}

async function sendInTime(response: ServerResponse, events: AsyncIterable<string>, sent: string[]): Promise<void> {
  response.flushHeaders();
  const isCut = requestContextOf(response).change?.cutsStream;
  for await (const event of events) {
    if (response.destroyed) return;
    sent.push(event);
    const parts = isCut ? inTwo(asLine(event)) : [asLine(event)];
    for (const part of parts) await written(response, part);
  }
}

function asLine(data: string): string {
  return `data: ${data}\n\n`;
}

/** Of so many events, one is sent in two writes; the others are written whole, two of them in one write. */
const CUT_EVERY = 3;

/** The same bytes, cut elsewhere than between events: a client has to put events together by their empty lines. */
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
    await written(response, Buffer.concat([rest, start]));
    if (response.destroyed) return;
    // Otherwise both halves may come to the client in one packet.
    await nextTurn();
    rest = end;
  }
  await written(response, rest);
}

/** Cut inside the first character that has several bytes, else in the middle. */
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
