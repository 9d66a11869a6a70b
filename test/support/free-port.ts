import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { atEnd } from './at-end.ts';

const HERE = '127.0.0.1';

/** A port with a listener until the test ends. If `host` is not 127.0.0.1, the port is free on 127.0.0.1. */
export async function takenPort(host = HERE): Promise<number> {
  const server = createServer((socket) => socket.end('mine')).listen(host === HERE ? 0 : await freePort(), host);
  atEnd(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A port of this machine without a listener, outside the range from which the system assigns ports. */
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
