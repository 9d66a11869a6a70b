import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { atEnd } from './at-end.ts';

/** A port of this machine on which somebody listens until the test is over. */
export async function takenPort(host = '127.0.0.1'): Promise<number> {
  const server = createServer((socket) => socket.end('mine')).listen(0, host);
  atEnd(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A port of this machine on which nobody listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
