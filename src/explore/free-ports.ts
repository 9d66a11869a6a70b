import { createServer } from 'node:net';

/** Below the ports that systems give to whoever connects: one of those may be taken before its app listens. */
const FIRST = 20_000;
const COUNT = 10_000;

/** Ports for apps that are yet to start: no two the same until all have been given. */
export class FreePorts {
  /** Two searches at the same time begin at different places. */
  #next = (process.pid * 61) % COUNT;

  /** One that nobody listens on now. */
  async next(): Promise<number> {
    for (let tries = 0; tries < COUNT; tries += 1) {
      const port = FIRST + this.#next;
      this.#next = (this.#next + 1) % COUNT;
      if (await isFree(port)) return port;
    }
    throw new Error(`No port from ${FIRST} to ${FIRST + COUNT - 1} is free.`);
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
