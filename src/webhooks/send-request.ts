import { connect as connectPlain, type Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { lookupOf } from './route-lookup.ts';
import type { Route } from './url-guard.ts';

/** How much of an answer is kept, in bytes. */
const KEPT_ANSWER = 4096;

export interface Answer {
  status: number;
  /** Its first 4 KiB as text. */
  body: string;
}

/**
 * Posts once over a connection of its own, which is closed afterwards: with one attempt, an idle connection that the
 * receiver has just given up must not cost a delivery. Redirects are answers like any other.
 * Rejects with the reason of the signal, or with what kept the request from being answered.
 */
export async function sendRequest(
  route: Route,
  message: { headers: Record<string, string>; body: string },
  signal: AbortSignal,
): Promise<Answer> {
  const { target } = route;
  // Loaded when first needed: it is a large part of what a start would take.
  const { Client } = await import('undici');
  const client = new Client(target.origin, {
    connect: connector(route, signal),
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  try {
    const path = `${target.pathname}${target.search}`;
    const answer = await client.request({ method: 'POST', path, reset: true, signal, ...message });
    return { status: answer.statusCode, body: await readStart(answer.body) };
  } finally {
    await client.destroy();
  }
}

/** Connects to no address but those that the route allows: what was checked is what is used. */
function connector(route: Route, signal: AbortSignal): buildConnector.connector {
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

async function readStart(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  const size = () => chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  for await (const chunk of body) {
    chunks.push(chunk);
    if (size() >= KEPT_ANSWER) break;
  }
  // `stream` leaves out a character that the cut went through.
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, KEPT_ANSWER), { stream: true });
}
