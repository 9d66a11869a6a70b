import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { ShortOfCredits } from '../errors.ts';
import { printError } from './error-printer.ts';
import { Accepted, Broadcast, Bytes, Download, EventStream, NoContent, WithBase64 } from './reply.ts';
import { requestStamp } from './request-stamp.ts';

/** Writes what a handler returned: the one place that does, beside the CDN. A stream is out when the promise resolves. */
export function send(response: ServerResponse, answer: unknown, status: number): Promise<void> | undefined {
  if (answer instanceof EventStream) return sendEvents(response, answer);
  if (answer instanceof Broadcast) return sendBroadcast(response, answer);
  if (answer instanceof Download) return sendDownload(response, answer);
  if (answer instanceof Bytes) sendBytes(response, answer, status);
  else if (answer instanceof NoContent) sendNothing(response);
  else if (answer instanceof Accepted) sendJson(response, answer.body, 202);
  else if (answer instanceof WithBase64) sendText(response, withBase64(answer), status);
  else sendJson(response, answer, status);
  return undefined;
}

/** Writes an error, or cuts the connection when an answer is already on its way. */
export function sendError(response: ServerResponse, error: unknown, finish = finishAtOnce): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, headers, body } = printError(error);
  const { code, message } = body.error;
  const left = error instanceof ShortOfCredits ? error.left : undefined;
  requestStamp(response).facts.error = { code, message, left };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  sendText(response, JSON.stringify(body), status, finish);
}

/** Ends an answer with its text. */
export type Finish = (response: ServerResponse, text: string, encoding: 'latin1' | 'utf8') => void;

const finishAtOnce: Finish = (response, text, encoding) => response.end(text, encoding);

function sendJson(response: ServerResponse, answer: unknown, status: number): void {
  sendText(response, JSON.stringify(answer), status);
}

/** Within a text of somebody's each of its quotes would be escaped. */
const EMPTY = '"b64_json":""';

function withBase64({ body, base64 }: WithBase64): string {
  const text = JSON.stringify(body);
  const place = text.indexOf(EMPTY) + EMPTY.length - 1;
  return text.slice(0, place) + base64 + text.slice(place);
}

/** `text` is JSON. */
function sendText(response: ServerResponse, text: string, status: number, finish = finishAtOnce): void {
  const stamp = requestStamp(response);
  stamp.answer = text;
  const length = Buffer.byteLength(text);
  const type = 'application/json; charset=utf-8';
  // Given at once they are written as they are; one by one each would be checked and kept first.
  response.writeHead(status, ['content-type', type, 'content-length', String(length), ...stamp.headers]);
  // Plain ASCII is the same in both, and as Latin-1 it is copied rather than encoded.
  finish(response, text, length === text.length ? 'latin1' : 'utf8');
}

/** The headers that were collected on the way, for an answer that is not JSON. */
function begin(response: ServerResponse, status: number): void {
  response.statusCode = status;
  const { headers } = requestStamp(response);
  for (let place = 0; place < headers.length; place += 2) {
    response.setHeader(headers[place] ?? '', headers[place + 1] ?? '');
  }
}

function sendBytes(response: ServerResponse, { body, contentType }: Bytes, status: number): void {
  begin(response, status);
  response.setHeader('content-type', contentType);
  response.setHeader('content-length', body.length);
  response.end(body);
}

async function sendDownload(response: ServerResponse, download: Download): Promise<void> {
  begin(response, 200);
  response.setHeader('content-type', download.contentType);
  response.setHeader('content-disposition', `attachment; filename="${download.name}"`);
  // Whoever hangs up ends it; there is nobody left to tell.
  await pipeline(download.body, response).catch(() => response.destroy());
}

function sendNothing(response: ServerResponse): void {
  begin(response, 204);
  response.end();
}

/** A stream that throws ends in the middle: its connection is closed without the end of its answer. */
async function sendEvents(response: ServerResponse, stream: EventStream): Promise<void> {
  begin(response, 200);
  requestStamp(response).facts.streamed = true;
  response.setHeader('content-type', 'text/event-stream; charset=utf-8');
  response.setHeader('cache-control', 'no-cache');
  if (stream.isPrompt) response.flushHeaders();
  const sent: string[] = [];
  try {
    for await (const event of stream.events) {
      if (response.destroyed) break;
      sent.push(event);
      const text = `data: ${event}\n\n`;
      if (stream.isPrompt) await written(response, text);
      else if (!response.write(text)) await drained(response);
    }
    requestStamp(response).answer = sent.join('\n');
    response.end();
  } catch {
    requestStamp(response).answer = sent.join('\n');
    response.destroy();
  }
}

/** Characters that may wait for a client which reads too slowly; it is cut, and can come back for what it missed. */
const MOST_UNREAD = 4 * 1_048_576;

/** Resolves when the client has gone. */
function sendBroadcast(response: ServerResponse, { join }: Broadcast): Promise<void> {
  begin(response, 200);
  response.setHeader('content-type', 'text/event-stream; charset=utf-8');
  response.setHeader('cache-control', 'no-cache');
  response.flushHeaders();
  return new Promise((resolve) => {
    const write = (text: string) => {
      response.write(text);
      if (response.writableLength > MOST_UNREAD) response.destroy();
    };
    const leave = join({ write, end: () => response.end() });
    const gone = () => {
      leave();
      resolve();
    };
    if (response.destroyed) gone();
    else response.once('close', gone);
  });
}

/** Resolves when the text has left, or there is nobody to get it. */
function written(response: ServerResponse, text: string): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('close', done);
      resolve();
    };
    response.once('close', done);
    response.write(text, done);
  });
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once('drain', resolve);
    response.once('close', resolve);
  });
}
