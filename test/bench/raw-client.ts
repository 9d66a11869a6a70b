import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/**
 * One kept connection that posts JSON and counts the bytes of the answer: a client with code of its own, which grows
 * cold while a render is waited for, would add as much to a quick answer as the service takes for it.
 */
export class RawClient {
  readonly #socket: Socket;
  readonly #host: string;
  #read: (chunk: Buffer) => void = () => undefined;

  constructor(url: string) {
    const { hostname, port, host } = new URL(url);
    this.#host = host;
    this.#socket = connect(Number(port), hostname);
    this.#socket.setNoDelay(true);
    this.#socket.on('data', (chunk) => this.#read(chunk));
  }

  /** Resolves when all of the answer is read; throws for any status but 200. */
  async post(path: string, key: string, body: object): Promise<void> {
    const text = Buffer.from(JSON.stringify(body));
    const head = [
      `POST ${path} HTTP/1.1`,
      `Host: ${this.#host}`,
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${text.length}`,
    ];
    const answered = this.#answer();
    this.#socket.write(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), text]));
    await answered;
  }

  async close(): Promise<void> {
    this.#socket.destroy();
    await once(this.#socket, 'close');
  }

  #answer(): Promise<void> {
    let left: number | undefined;
    return new Promise((resolve, reject) => {
      this.#read = (chunk) => {
        left = left === undefined ? bodyLeft(chunk) : left - chunk.length;
        if (left === undefined) reject(new Error(`answered ${chunk.toString('latin1', 0, 200)}`));
        else if (left === 0) resolve();
      };
    });
  }
}

/** Bytes of the body that do not come with the head; undefined when it tells of no success. */
function bodyLeft(chunk: Buffer): number | undefined {
  const end = chunk.indexOf('\r\n\r\n') + 4;
  const head = chunk.toString('latin1', 0, end);
  const length = /^HTTP\/1\.1 200 [\s\S]*content-length: (\d+)/i.exec(head)?.[1];
  return end < 4 || length === undefined ? undefined : Number(length) - (chunk.length - end);
}
