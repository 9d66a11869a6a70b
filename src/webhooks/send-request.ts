import type { LookupAddress } from 'node:dns';
import { connect as connectPlain, type LookupFunction, type Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** How much of an answer is stored, in bytes. */
const KEPT_ANSWER = 4096;

export interface Answer {
  status: number;
  /** Its first 4 KiB as text. */
  body: string;
}

/**
 * Posts once over a connection of its own, which is closed afterwards: there is one attempt only, which must not be lost
 * on an idle connection that the receiver has just closed. Redirects are answers like any other.
 * `onConnect` is called when the receiver is there. Rejects with the reason of the signal, or with the error of the connection.
 */
export async function sendRequest(
  route: Route,
  message: { headers: Record<string, string>; body: string },
  { signal, onConnect }: { signal: AbortSignal; onConnect: () => void },
): Promise<Answer> {
  const { target } = route;
  // Loaded at its first use, as it would slow down every start.
  const { Client } = await import('undici');
  const client = new Client(target.origin, {
    connect: connector(route, signal),
    headersTimeout: 0,
    bodyTimeout: 0,
  }).once('connect', onConnect);
  try {
    const path = `${target.pathname}${target.search}`;
    const answer = await client.request({ method: 'POST', path, reset: true, signal, ...message });
    return { status: answer.statusCode, body: await readStart(answer.body) };
  } finally {
    await client.destroy();
  }
}

async function readStart(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  const size = () => chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  for await (const chunk of body) {
    chunks.push(chunk);
    if (size() >= KEPT_ANSWER) break;
  }
  // `stream` drops a character that the limit cuts in two.
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, KEPT_ANSWER), { stream: true });
}

/** Connects only to addresses that the route allows, so that the checked address is the one in use. */
export function connector(route: Route, signal: AbortSignal): buildConnector.connector {
  return ({ hostname: host, port, protocol }, done) => {
    const secure = protocol === 'https:';
    const options = { host, port: Number(port) || (secure ? 443 : 80), lookup: lookupOf(route) };
    const socket: Socket = secure
      ? process.getBuiltinModule('node:tls').connect({ ...options, rejectUnauthorized: route.verifyCertificate })
      : connectPlain(options);
    const giveUp = (error: Error) => done(error, null);
    socket.setNoDelay(true);
    socket.once('error', giveUp);
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      socket.off('error', giveUp);
      done(null, socket);
    });
    signal.addEventListener('abort', () => socket.destroy(signal.reason), { once: true });
  };
}

/** A name lookup that returns only addresses that the route allows. */
export function lookupOf(route: Route): LookupFunction {
  return (host, { all }, done) => {
    route.addresses(host).then(
      (addresses) => {
        const [first] = addresses;
        if (all || !first) return done(null, addresses);
        done(null, first.address, first.family);
      },
      (error: Error) => done(error, []),
    );
  };
}

/** The actual target of a delivery, and its conditions. */
export interface Route {
  target: URL;
  /** Whether a receiver's certificate has to be valid. */
  verifyCertificate: boolean;
  /** The allowed addresses of the host of `target`; rejects when there is none. */
  addresses(host: string): Promise<LookupAddress[]>;
}
