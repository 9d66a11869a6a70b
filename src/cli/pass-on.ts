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
  const server = createServer((from, to) => new Passing(options, clock, from, to).begin());
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

/** One request on its way. Whatever the service answers, it ends once, with an answer or a 502. */
class Passing {
  readonly #options: PassingOptions;
  readonly #clock: VirtualClock;
  readonly #from: IncomingMessage;
  readonly #to: ServerResponse;
  readonly #sent = new KeptBytes();
  readonly #got = new KeptBytes();
  readonly #at: number;
  #answered: IncomingMessage | undefined;
  /** The client is gone. An answer that only the end of its connection ends is then complete for Node. */
  #isLeft = false;
  #isOver = false;

  constructor(options: PassingOptions, clock: VirtualClock, from: IncomingMessage, to: ServerResponse) {
    this.#options = options;
    this.#clock = clock;
    this.#from = from;
    this.#to = to;
    this.#at = clock.real();
  }

  begin(): void {
    const [from, to] = [this.#from, this.#to];
    for (const side of [from, to]) side.on('error', () => undefined);
    // An absolute address would be asked instead of the service.
    if (!from.url?.startsWith('/')) {
      this.#refuse(400, 'The request names a host; give a path that begins with /.');
      return;
    }
    try {
      const next = this.#request();
      next.once('response', (answer) => this.#answer(next, answer));
      next.once('upgrade', (_answer, socket) => {
        socket.destroy();
        this.#fail('UPGRADE', 'it switched protocols');
      });
      next.on('error', (error) => this.#fail(systemCode(error) ?? 'unknown', error.message));
      to.once('close', () => {
        this.#isLeft = !to.writableFinished;
        next.destroy();
      });
      from.on('data', (piece: Buffer) => this.#sent.add(piece)).pipe(next);
    } catch (error) {
      this.#fail(systemCode(error) ?? 'unknown', (error as Error).message);
    }
  }

  /** The request as it came, but for the host that it goes to. */
  #request(): ClientRequest {
    const { protocol, hostname, host, port, pathname } = new URL(this.#options.upstream);
    const { method, url = '/', rawHeaders } = this.#from;
    const headers = rawHeaders.flatMap((name, n) => {
      if (n % 2 === 1) return [];
      return [name, name.toLowerCase() === 'host' ? host : (rawHeaders[n + 1] ?? '')];
    });
    const ask = protocol === 'https:' ? secureRequest : plainRequest;
    const target = { hostname: hostname.replace(/^\[(.*)\]$/, '$1'), port, path: pathname.replace(/\/$/, '') + url };
    return ask({ ...target, protocol, method, headers: headers as never, setHost: false });
  }

  #answer(next: ClientRequest, answer: IncomingMessage): void {
    const to = this.#to;
    const { statusCode = 0, statusMessage } = answer;
    answer.on('error', () => undefined);
    try {
      to.writeHead(statusCode, statusMessage, answer.rawHeaders);
      // Headers of a stream come before its first event.
      to.flushHeaders();
    } catch (error) {
      next.destroy();
      this.#fail(systemCode(error) ?? 'unknown', 'its status, reason or headers cannot be passed on');
      return;
    }
    this.#answered = answer;
    answer.on('data', (piece: Buffer) => this.#got.add(piece));
    answer.once('close', () => this.#end(answer));
    answer.pipe(to);
  }

  #end({ statusCode = 0, headers, complete }: IncomingMessage): void {
    this.#over({ status: statusCode, headers, ...((!complete || this.#isLeft) && { failure: 'CUT' }) });
    if (!complete) this.#to.destroy();
  }

  #fail(failure: string, message: string): void {
    if (this.#isOver) return;
    if (this.#answered) {
      // What goes wrong after an answer was whole does not matter; what was whole is yet to be read.
      if (!this.#answered.complete) this.#end(this.#answered);
      return;
    }
    this.#over({ status: 0, headers: {}, failure });
    this.#refuse(502, `${this.#options.upstream} gave no answer that can be passed on: ${message}.`);
  }

  #over(answer: Pick<PassedExchange, 'status' | 'headers' | 'failure'>): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { method = 'GET', url: path = '/', headers } = this.#from;
    const request = { method, path, headers, body: this.#sent.kept };
    const took = this.#clock.real() - this.#at;
    this.#options.onExchange({ request, ...answer, body: this.#got.kept, at: this.#at, took });
  }

  #refuse(status: 400 | 502, message: string): void {
    const code = status === 400 ? 'invalid_request' : 'upstream_unreachable';
    const error = { code, message, type: 'proxy_error', param: null };
    // A reason that was refused would be sent otherwise.
    const reason = status === 400 ? 'Bad Request' : 'Bad Gateway';
    this.#to.writeHead(status, reason, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
  }
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
