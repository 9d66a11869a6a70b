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

/** What a receiver got, its body as it came over the wire. */
export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** An answer, which with `stall` never ends; `hang` never comes, `hang-up` closes the connection, a function decides by request. */
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
      // A sender that gives up while its body is read is no fault of the test.
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

  /** How the requests from now on are answered. */
  answer(reply: Reply): void {
    this.#reply = reply;
  }

  /** Resolves with all that came once at least `count` requests have. */
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

/** Such a receiver, at an endpoint of the account that hears of `events`; with the endpoint as it was made. */
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
