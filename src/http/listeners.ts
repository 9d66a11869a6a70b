import type { Server } from 'node:http';
import type { Clock } from '../clock/clock.ts';
import type { Config } from '../config/config.ts';
import type { Random } from '../random.ts';
import { answerBrokenRequest } from './broken-request.ts';
import { tellingHolder } from './port-in-use.ts';
import { type Answer, closeServer, createHttpServer, listen } from './server.ts';

/** How long requests that run may still take when the emulator stops, in real milliseconds. */
const GRACE = 3000;

/** Where this machine is reached that listens on all of its addresses. */
const NEAR: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

export interface Listeners {
  url: string;
  /** The same for who is on this machine: not every system connects to an address that means all of its own. */
  localUrl: string;
  close(): Promise<void>;
}

/** Listens on the configured address and, by default, on ::1 too where there is one. Rejects with `PortInUse`, or the system's error. */
export async function listenEverywhere(
  answer: Answer,
  config: Config,
  { clock, random }: { clock: Clock; random: Random },
): Promise<Listeners> {
  const makeServer = () =>
    createHttpServer(answer).on('clientError', (error, socket) =>
      answerBrokenRequest(error, socket, random.requestId()),
    );
  const first = makeServer();
  const port = await tellingHolder(config, listen(first, config.port, config.host));
  const second = config.host === '127.0.0.1' ? await tryListen(makeServer(), port) : undefined;
  const servers = second ? [first, second] : [first];
  return {
    url: `http://${urlHost(config.host)}:${port}`,
    localUrl: `http://${urlHost(NEAR[config.host] ?? config.host)}:${port}`,
    async close() {
      await Promise.all(servers.map((server) => closeServer(server, (cut) => clock.after(GRACE, cut))));
    },
  };
}

/** A machine without IPv6 has no ::1, and another program may have the port there. */
async function tryListen(server: Server, port: number): Promise<Server | undefined> {
  try {
    await listen(server, port, '::1');
    return server;
  } catch {
    return undefined;
  }
}

function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
