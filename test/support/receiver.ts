import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { atEnd } from './at-end.ts';
import type { TestAccount } from './world.ts';

/** A received request with its unparsed body. */
export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A response, which never ends with `stall`. `hang` sends none, and `hang-up` closes the connection. */
export type Reply =
  | { status?: number; headers?: Record<string, string>; body?: string; stall?: boolean }
  | 'hang'
  | 'hang-up'
  | ((request: Received, n: number) => Reply | Promise<Reply>);

interface Waiter {
  count: number;
  resolve(): void;
}

/** A webhook receiver on this machine that records what it is sent. */
export class Receiver {
  readonly requests: Received[] = [];
  /** How many connections were made, whether or not a request came over them. */
  connections = 0;
  readonly #server: Server;
  readonly #scheme: 'http' | 'https';
  readonly #waiters = new Set<Waiter>();
  #reply: Reply;

  private constructor(reply: Reply, tls?: { key: string; cert: string }) {
    this.#reply = reply;
    this.#scheme = tls ? 'https' : 'http';
    const listener = (request: IncomingMessage, response: ServerResponse) => {
      // A sender may hang up while its body is read. This is not an error of the test.
      this.#take(request, response).catch(() => response.destroy());
    };
    this.#server = tls ? createSecureServer(tls, listener) : createServer(listener);
    this.#server.on('connection', () => {
      this.connections += 1;
    });
  }

  static async start(options: { reply?: Reply; tls?: { key: string; cert: string } } = {}): Promise<Receiver> {
    const receiver = new Receiver(options.reply ?? {}, options.tls);
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** `http://127.0.0.1:PORT`, without a slash at its end. */
  get origin(): string {
    return `${this.#scheme}://127.0.0.1:${this.port}`;
  }

  /** Sets the reply to all further requests. */
  answer(reply: Reply): void {
    this.#reply = reply;
  }

  /** Resolves with all requests once at least `count` have arrived. */
  async received(count = 1): Promise<Received[]> {
    if (this.requests.length < count) {
      await new Promise<void>((resolve) => this.#waiters.add({ count, resolve }));
    }
    return this.requests;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    if (this.#server.listening) await once(this.#server, 'close');
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url: path = '', headers } = request;
    const received = { method, path, headers, body: Buffer.concat(chunks).toString() };
    this.requests.push(received);
    for (const waiter of this.#waiters) {
      if (waiter.count > this.requests.length) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
    await respond(this.#reply, received, { n: this.requests.length, response });
  }
}

/** A receiver that is closed at the end of its test, or of its file. */
export async function openReceiver(reply: Reply = {}): Promise<Receiver> {
  const receiver = await Receiver.start({ reply });
  atEnd(() => receiver.close());
  return receiver;
}

/** Opens a receiver, and creates an endpoint of the account that sends `events` to it. */
export async function subscribe(account: TestAccount, events: readonly string[], reply: Reply = {}) {
  const receiver = await openReceiver(reply);
  const { body } = await account.post('/webhooks', { url: `${receiver.origin}/hook`, events });
  return { receiver, endpoint: body as { id: string; secret: string } };
}

async function respond(reply: Reply, received: Received, to: { n: number; response: ServerResponse }): Promise<void> {
  if (typeof reply === 'function') return respond(await reply(received, to.n), received, to);
  if (reply === 'hang') return;
  if (reply === 'hang-up') {
    to.response.destroy();
    return;
  }
  to.response.writeHead(reply.status ?? 200, reply.headers);
  to.response.write(reply.body ?? '');
  if (!reply.stall) to.response.end();
}
