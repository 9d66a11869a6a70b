import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { ShortOfCredits } from '../errors.ts';
import { printError } from './error-printer.ts';
import { Accepted, Broadcast, Bytes, Download, EventStream, NoContent, WithBase64 } from './reply.ts';
import { requestContextOf, type Told } from './request-context.ts';

/** Writes what a handler returned; only the CDN writes by itself. The promise resolves when a stream has been sent. */
export function send(response: ServerResponse, answer: unknown, status: number): Promise<void> | undefined {
  if (answer instanceof EventStream) return sendStream(response, answer);
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
  requestContextOf(response).facts.error = { code, message, left };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  sendText(response, JSON.stringify(body), status, finish);
}

/** Ends an answer with its text. */
export type Finish = (response: ServerResponse, text: string, encoding: 'latin1' | 'utf8') => void;

const finishAtOnce: Finish = (response, text, encoding) => response.end(text, encoding);

function sendJson(response: ServerResponse, answer: unknown, status: number): void {
  sendText(response, JSON.stringify(answer), status);
}

/** Cannot occur inside a string of the JSON, where its quotes would be escaped. */
const EMPTY = '"b64_json":""';

function withBase64({ body, base64 }: WithBase64): string {
  const text = JSON.stringify(body);
  const at = text.indexOf(EMPTY) + EMPTY.length - 1;
  return text.slice(0, at) + base64 + text.slice(at);
}

/** `text` is JSON. */
function sendText(response: ServerResponse, text: string, status: number, finish = finishAtOnce): void {
  const requestContext = requestContextOf(response);
  requestContext.answer = text;
  const type = 'application/json; charset=utf-8';
  const told = requestContext.lying?.tell({ status, contentType: type, text });
  if (told) {
    sendTold(response, told, finish);
    return;
  }
  const length = Buffer.byteLength(text);
  writeHead(response, status, ['content-type', type, 'content-length', String(length)]);
  finish(response, text, encodingOf(text, length));
}

/** Writes what a lie has made of an answer, with all of its headers. */
function sendTold(response: ServerResponse, { status, headers, payload }: Told, finish = finishAtOnce): void {
  const requestContext = requestContextOf(response);
  requestContext.answer = typeof payload === 'string' ? payload : undefined;
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(payload) });
  if (typeof payload === 'string') finish(response, payload, 'utf8');
  else response.end(payload);
}

/** Writes the collected headers too: given at once they are written as they are; set one by one, each is checked and stored first. */
function writeHead(response: ServerResponse, status: number, headers: string[]): void {
  response.writeHead(status, [...headers, ...requestContextOf(response).headers]);
}

/** Plain ASCII is the same in both, and as Latin-1 it is copied rather than encoded. */
function encodingOf(text: string, length = Buffer.byteLength(text)): 'latin1' | 'utf8' {
  return length === text.length ? 'latin1' : 'utf8';
}

/** Sets the collected headers, for an answer that is not JSON. */
function begin(response: ServerResponse, status: number): void {
  response.statusCode = status;
  const { headers } = requestContextOf(response);
  for (let at = 0; at < headers.length; at += 2) {
    response.setHeader(headers[at] ?? '', headers[at + 1] ?? '');
  }
}

function sendBytes(response: ServerResponse, { body, contentType }: Bytes, status: number): void {
  const told = requestContextOf(response).lying?.tell({ status, contentType, bytes: body });
  if (told) {
    sendTold(response, told);
    return;
  }
  begin(response, status);
  response.setHeader('content-type', contentType);
  response.setHeader('content-length', body.length);
  response.end(body);
}

async function sendDownload(response: ServerResponse, download: Download): Promise<void> {
  begin(response, 200);
  response.setHeader('content-type', download.contentType);
  if (download.name) response.setHeader('content-disposition', `attachment; filename="${download.name}"`);
  // A client that hangs up ends it; there is nothing to answer.
  await pipeline(download.body, response).catch(() => response.destroy());
}

function sendNothing(response: ServerResponse): void {
  begin(response, 204);
  response.end();
}

/** Where a stream throws, its connection is closed without the end of the answer. */
async function sendStream(response: ServerResponse, { events }: EventStream): Promise<void> {
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
