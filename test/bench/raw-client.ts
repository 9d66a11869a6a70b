import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** One request as its bytes are sent. */
export function wireRequest(path: string, { key, type, body }: { key: string; type: string; body: string }): string {
  const head = [`POST ${path} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: Bearer ${key}`, `Content-Type: ${type}`];
  return `${head.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** One kept connection that sends a request and counts the bytes of its answer. */
class RawClient {
  readonly #socket: Socket;
  #read: (chunk: Buffer) => void = () => undefined;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#socket = connect(Number(port), hostname);
    this.#socket.setNoDelay(true);
    this.#socket.on('data', (chunk) => this.#read(chunk));
  }

  /** Resolves when all of the answer is read; throws for any status but 2xx. */
  send(request: string): Promise<void> {
    let left: number | undefined;
    const answered = new Promise<void>((resolve, reject) => {
      this.#read = (chunk) => {
        left = left === undefined ? bodyLeft(chunk) : left - chunk.length;
        if (left === undefined) reject(new Error(`answered ${chunk.toString('latin1', 0, 400)}`));
        else if (left === 0) resolve();
      };
    });
    this.#socket.write(request);
    return answered;
  }

  async close(): Promise<void> {
    this.#socket.destroy();
    await once(this.#socket, 'close');
  }
}

/** Bytes of the body that do not come with the head; undefined when it is no success. */
function bodyLeft(chunk: Buffer): number | undefined {
  const end = chunk.indexOf('\r\n\r\n') + 4;
  const head = chunk.toString('latin1', 0, end);
  const length = /^HTTP\/1\.1 2\d\d [\s\S]*content-length: (\d+)/i.exec(head)?.[1];
  return end < 4 || length === undefined ? undefined : Number(length) - (chunk.length - end);
}

/** So many connections of a flood ask at once. */
const CONNECTIONS = 64;

/** Sends `count` requests as fast as they are answered, and costs the shared processor little. */
export async function flood(url: string, count: number, request: (n: number) => string): Promise<void> {
  let sent = 0;
  const one = async () => {
    const client = new RawClient(url);
    while (sent < count) await client.send(request(sent++));
    await client.close();
  };
  await Promise.all(Array.from({ length: Math.min(CONNECTIONS, count) }, one));
}
