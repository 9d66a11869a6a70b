import { createServer, type IncomingMessage, request as plainRequest, type ServerResponse } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { VirtualClock } from '../clock/clock.ts';

/** A request as it came; the body may have been cut where it is long. */
export interface AskedRequest {
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** The same with its answer; status 0: there was none. */
export interface PassedExchange {
  request: AskedRequest;
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
  /** When the request came, in milliseconds since 1970, and how long its answer took. */
  at: number;
  took: number;
}

export interface PassingOptions {
  /** Scheme, host and port, perhaps with a path. */
  upstream: string;
  port?: number;
  onExchange(exchange: PassedExchange): void;
}

/** How much of a body is kept for `onExchange`, in bytes. */
const KEPT = 4 * 1_048_576;

/** A proxy on this machine: passes requests and answers on, byte by byte as they come, and shows both when they are over. */
export async function startPassing(options: PassingOptions): Promise<{ url: string; close(): Promise<void> }> {
  const clock = new VirtualClock();
  const server = createServer((from, to) => {
    passOn(options, clock, from, to);
  });
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function passOn(options: PassingOptions, clock: VirtualClock, from: IncomingMessage, to: ServerResponse) {
  const at = clock.real();
  const sent = new KeptBytes();
  const asked = (): AskedRequest => ({
    method: from.method ?? 'GET',
    path: from.url ?? '/',
    headers: from.headers,
    body: sent.bytes,
  });
  const over = (answer: Omit<PassedExchange, 'request' | 'at' | 'took'>) =>
    options.onExchange({ ...answer, request: asked(), at, took: clock.real() - at });
  const next = requestTo(options.upstream, from);
  next.once('response', (answer) => {
    const got = new KeptBytes();
    answer.on('data', (piece: Buffer) => got.add(piece));
    answer.once('close', () => over({ status: answer.statusCode ?? 0, headers: answer.headers, body: got.bytes }));
    to.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders);
    // Headers of a stream come before its first event.
    to.flushHeaders();
    answer.once('aborted', () => to.destroy());
    answer.pipe(to);
  });
  next.once('error', (error) => {
    over({ status: 0, headers: {}, body: Buffer.from(error.message) });
    if (to.headersSent) to.destroy();
    else refuseWith(to, `${new URL(options.upstream).origin} cannot be reached: ${error.message}.`);
  });
  to.once('close', () => next.destroy());
  from.on('data', (piece: Buffer) => sent.add(piece)).pipe(next);
}

/** The request as it came, but for the host that it goes to. */
function requestTo(upstream: string, { method, url = '/', rawHeaders }: IncomingMessage) {
  const target = new URL(upstream.replace(/\/$/, '') + url);
  const headers = rawHeaders.flatMap((name, n) => {
    if (n % 2 === 1) return [];
    return [name, name.toLowerCase() === 'host' ? target.host : (rawHeaders[n + 1] ?? '')];
  });
  const ask = target.protocol === 'https:' ? secureRequest : plainRequest;
  return ask(target, { method, headers, setHost: false });
}

function refuseWith(to: ServerResponse, message: string): void {
  const error = { code: 'upstream_unreachable', message, type: 'proxy_error', param: null };
  to.writeHead(502, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
}

/** The beginning of what passes by. */
class KeptBytes {
  readonly #pieces: Buffer[] = [];
  #length = 0;

  add(piece: Buffer): void {
    if (this.#length < KEPT) this.#pieces.push(piece.subarray(0, KEPT - this.#length));
    this.#length += piece.length;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#pieces);
  }
}
