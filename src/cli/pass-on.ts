import { once } from 'node:events';
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request as plainRequest,
  type ServerResponse,
} from 'node:http';
import { request as secureRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { VirtualClock } from '../base/clock/virtual-clock.ts';
import { systemCode } from '../base/errors.ts';

/** How much of a body is kept for `onExchange`, in bytes. */
export const KEPT = 4 * 1_048_576;

/** The beginning of a body, and how many bytes it had. */
interface KeptBody {
  bytes: Buffer;
  length: number;
}

/** A request as it came, with its answer; status 0: there was none that could be passed on. */
export interface PassedExchange {
  request: {
    method: string;
    /** With its query. */
    path: string;
    headers: IncomingMessage['headers'];
    body: KeptBody;
  };
  status: number;
  headers: IncomingMessage['headers'];
  body: KeptBody;
  /** The code of the error that was the end of it. */
  failure?: string;
  /** When the request came, in milliseconds since 1970, and how long its answer took. */
  at: number;
  took: number;
}

export interface PassingOptions {
  /** Scheme, host and port, perhaps with a path; no slash at its end. */
  upstream: string;
  port?: number;
  onExchange(exchange: PassedExchange): void;
}

/** A proxy on this machine: passes requests and answers on, byte by byte as they come, and shows both when they are over. */
export async function startPassing(options: PassingOptions): Promise<{ url: string; close(): Promise<void> }> {
  const clock = new VirtualClock();
  const server = createServer((from, to) => {
    for (const side of [from, to]) side.on('error', () => undefined);
    // An absolute address would be asked instead of the service.
    if (from.url?.startsWith('/')) passOn(options, clock, from, to);
    else refuse(to, 400, 'The request names a host; give a path that begins with /.');
  });
  server.requestTimeout = 0;
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** One request on its way. Whatever the service answers, it ends once, with an answer or a 502. */
function passOn(
  { upstream, onExchange }: PassingOptions,
  clock: VirtualClock,
  from: IncomingMessage,
  to: ServerResponse,
) {
  const at = clock.real();
  const [sent, got] = [new KeptBytes(), new KeptBytes()];
  let answered: IncomingMessage | undefined;
  let isOver = false;
  const over = (answer: Pick<PassedExchange, 'status' | 'headers' | 'failure'>) => {
    if (isOver) return;
    isOver = true;
    const { method = 'GET', url: path = '/', headers } = from;
    const request = { method, path, headers, body: sent.kept };
    onExchange({ request, ...answer, body: got.kept, at, took: clock.real() - at });
  };
  /** An answer that only the end of its connection ends is complete for Node where the client was the one to leave. */
  const end = ({ statusCode = 0, headers, complete }: IncomingMessage) => {
    const isLeft = to.destroyed && !to.writableFinished;
    over({ status: statusCode, headers, ...((!complete || isLeft) && { failure: 'CUT' }) });
    if (!complete) to.destroy();
  };
  const fail = (error: unknown, message = (error as Error).message, failure = systemCode(error) ?? 'unknown') => {
    // What goes wrong after an answer was whole does not matter; what was whole is yet to be read.
    if (answered?.complete === false) end(answered);
    if (isOver || answered) return;
    over({ status: 0, headers: {}, failure });
    refuse(to, 502, `${upstream} gave no answer that can be passed on: ${message}.`);
  };
  const pass = (answer: IncomingMessage) => {
    answer.on('error', () => undefined);
    try {
      to.writeHead(answer.statusCode ?? 0, answer.statusMessage, answer.rawHeaders);
      // Headers of a stream come before its first event.
      to.flushHeaders();
    } catch (error) {
      answer.destroy();
      fail(error, 'its status, reason or headers cannot be passed on');
      return;
    }
    answered = answer;
    answer.on('data', (piece: Buffer) => got.add(piece));
    answer.once('close', () => end(answer));
    answer.pipe(to);
  };
  try {
    const next = requestLike(from, new URL(upstream));
    next.once('response', pass);
    next.once('upgrade', (_answer, socket) => {
      socket.destroy();
      fail(undefined, 'it switched protocols', 'UPGRADE');
    });
    next.on('error', (error) => fail(error));
    to.once('close', () => next.destroy());
    from.on('data', (piece: Buffer) => sent.add(piece)).pipe(next);
  } catch (error) {
    fail(error);
  }
}

/** The request as it came, but for the host that it goes to. */
function requestLike(
  { method, url = '/', rawHeaders }: IncomingMessage,
  { protocol, hostname, host, port, pathname }: URL,
): ClientRequest {
  const headers = rawHeaders.flatMap((name, n) => {
    if (n % 2 === 1) return [];
    return [name, name.toLowerCase() === 'host' ? host : (rawHeaders[n + 1] ?? '')];
  });
  const ask = protocol === 'https:' ? secureRequest : plainRequest;
  const target = { hostname: hostname.replace(/^\[(.*)\]$/, '$1'), port, path: pathname.replace(/\/$/, '') + url };
  return ask({ ...target, protocol, method, headers: headers as never, setHost: false });
}

function refuse(to: ServerResponse, status: 400 | 502, message: string): void {
  const code = status === 400 ? 'invalid_request' : 'upstream_unreachable';
  const error = { code, message, type: 'proxy_error', param: null };
  // A reason that was refused would be sent otherwise.
  const reason = status === 400 ? 'Bad Request' : 'Bad Gateway';
  to.writeHead(status, reason, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
}

/** The beginning of what passes by. */
class KeptBytes {
  readonly #pieces: Buffer[] = [];
  #length = 0;

  add(piece: Buffer): void {
    if (this.#length < KEPT) this.#pieces.push(piece.subarray(0, KEPT - this.#length));
    this.#length += piece.length;
  }

  get kept(): KeptBody {
    return { bytes: Buffer.concat(this.#pieces), length: this.#length };
  }
}
