import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { atEnd } from './at-end.ts';

const HERE = '127.0.0.1';

/** A port of this machine on which somebody listens until the test is over; on another host, nobody listens here. */
export async function takenPort(host = HERE): Promise<number> {
  const server = createServer((socket) => socket.end('mine')).listen(host === HERE ? 0 : await freePort(), host);
  atEnd(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A port of this machine on which nobody listens. The system gives none of these to whoever asks for any port. */
export async function freePort(): Promise<number> {
  const port = randomInt(10_240, 32_768);
  return (await isFree(port)) ? port : freePort();
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, HERE, () => server.close(() => resolve(true)));
  });
}
