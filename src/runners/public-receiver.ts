import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { NewMessage } from '../webhooks/inbox.ts';

/** The largest delivery that is taken, in bytes, as by the inboxes of an emulator. */
const MOST_BYTES = 8 * 1_048_576;

/** A server on a port of this machine to which a public address leads. It listens while a test has an inbox. */
export class PublicReceiver {
  readonly #port: number;
  readonly #take: (message: NewMessage) => string | undefined;
  #server: Server | undefined;
  /** Rejects where the port is taken. */
  listening: Promise<void> = Promise.resolve();

  /** `take` answers the id of a message, or undefined where there is no such inbox. */
  constructor(port: number, take: (message: NewMessage) => string | undefined) {
    this.#port = port;
    this.#take = take;
  }

  listen(): void {
    if (this.#server) return;
    const server = createServer((from, to) => void this.#receive(from, to).catch(() => to.destroy()));
    this.#server = server.unref();
    this.listening = new Promise((resolve, reject) => {
      server.once('error', ({ message }) => {
        const remedy = 'run one test file at a time, or set it to a free port that SVC_WEBHOOK_URL leads to';
        reject(new Error(`No receiver can listen on SVC_WEBHOOK_PORT (${message}); ${remedy}.`));
      });
      server.listen(this.#port, '127.0.0.1', resolve);
    });
    // A test that waits meets it.
    this.listening.catch(() => undefined);
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server?.listening) return;
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  }

  async #receive(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of from as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > MOST_BYTES) return void to.writeHead(413).end();
      pieces.push(piece);
    }
    const { method = 'POST', url: path = '/', headers } = from;
    const { href, searchParams } = new URL(path, 'http://receiver');
    const inbox = inboxIn(href);
    const id = inbox && this.#take({ inbox, method, path, headers, body: Buffer.concat(pieces) });
    if (!id) return void to.writeHead(404).end();
    const [status = 200] = /^[2-5]\d\d$/.exec(searchParams.get('status') ?? '') ?? [];
    to.writeHead(Number(status), { 'content-type': 'application/json' }).end(JSON.stringify({ id, inbox }));
  }
}

/** The name of the inbox that a URL leads to, empty for another URL. */
export function inboxIn(url: string): string {
  const { pathname } = URL.canParse(url) ? new URL(url) : { pathname: '' };
  return /\/_emulator\/inbox\/([\w-]{1,64})\/?$/.exec(pathname)?.[1] ?? '';
}
