import { connect as connectPlain, type LookupFunction, type Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { type Clock, unixSeconds } from '../../base/clock/clock.ts';
import type { DeliveryFault } from '../faults/delivery-fault-table.ts';
import { signWithFault } from './apply-delivery-fault.ts';
import type { DeliveryOutcome } from './delivery-store.ts';
import { SIGNATURE_HEADER, signatureHeader } from './signature.ts';
import type { DeliveryRoute } from './url-guard.ts';

export interface OutgoingDelivery {
  deliveryId: string;
  eventId: string;
  url: string;
  secret: string;
  body: string;
  fault: DeliveryFault | null;
  /** The signature header of the first delivery of the event to this endpoint. */
  before?: string | null;
}

interface SendingParts {
  clock: Clock;
  guard: { route(url: string): DeliveryRoute };
  /** The time limit from the name lookup to the end of the response, in milliseconds of real time. */
  limits: { attemptMs: number };
}

/** Never rejects. If `cancelled` aborts, the message of its reason becomes the error of the outcome. */
export async function attemptDelivery(
  parts: SendingParts,
  delivery: OutgoingDelivery,
  cancelled: AbortSignal,
): Promise<DeliveryOutcome> {
  const started = parts.clock.real();
  const signature = sign(delivery, started);
  const result = await send(parts, delivery, signature, cancelled).then(answered, failed);
  return { signature, durationMs: parts.clock.real() - started, ...result };
}

/** `t` is the machine's time, because receivers reject signatures older than 5 minutes. */
function sign({ secret, body, fault, before }: OutgoingDelivery, real: number): string {
  const t = unixSeconds(real);
  return fault === null ? signatureHeader(secret, t, body) : signWithFault({ secret, fault, before, t, body });
}

async function send(
  { clock, guard, limits: { attemptMs } }: SendingParts,
  delivery: OutgoingDelivery,
  signature: string,
  cancelled: AbortSignal,
): Promise<ReceiverResponse> {
  const limit = new AbortController();
  const cancel = clock.after(attemptMs, () =>
    limit.abort(new Error(`timeout: no complete response within ${attemptMs} ms`)),
  );
  const signal = AbortSignal.any([cancelled, limit.signal]);
  try {
    signal.throwIfAborted();
    const message = { headers: deliveryHeaders(delivery, signature), body: delivery.body };
    return await sendRequest(guard.route(delivery.url), message, signal);
  } finally {
    cancel();
  }
}

export function deliveryHeaders(
  { deliveryId, eventId }: Pick<OutgoingDelivery, 'deliveryId' | 'eventId'>,
  signature: string | null,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'svc-emulator/1.0',
    ...(signature === null ? {} : { [SIGNATURE_HEADER]: signature }),
    'svc-emulator-event': eventId,
    'svc-emulator-delivery': deliveryId,
  };
}

type Result = Pick<DeliveryOutcome, 'status' | 'responseStatus' | 'responseBody' | 'error'>;

function answered({ status, body }: ReceiverResponse): Result {
  const delivered = status >= 200 && status < 300;
  return {
    status: delivered ? 'delivered' : 'failed',
    responseStatus: status,
    responseBody: body,
    error: delivered ? null : errorOf(status),
  };
}

function errorOf(status: number): string {
  if (status === 410) return 'returned 410: the endpoint was deleted';
  if (status < 400) return `returned ${status}: redirects are not followed, return 2xx`;
  return `returned ${status}, not 2xx`;
}

function failed(error: Error & { code?: string }): Result {
  const code = error.code && !error.message.includes(error.code) ? error.code : '';
  const reason = [code, error.message].filter(Boolean).join(': ');
  return { status: 'failed', responseStatus: null, responseBody: null, error: reason };
}

const KEPT_RESPONSE = 4096;

interface ReceiverResponse {
  status: number;
  body: string;
}

/**
 * Uses a new connection for each delivery, because an idle one may have been closed by the receiver, which would lose
 * the only attempt. Does not follow redirects. Rejects with the reason of the signal or the error of the connection.
 */
async function sendRequest(
  route: DeliveryRoute,
  message: { headers: Record<string, string>; body: string },
  signal: AbortSignal,
): Promise<ReceiverResponse> {
  const { target } = route;
  // Loaded at the first use, because it would slow every start.
  const { Client } = (await import('undici')).default;
  const client = new Client(target.origin, {
    connect: createGuardedConnector(route, signal),
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

async function readStart(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  const size = () => chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  for await (const chunk of body) {
    chunks.push(chunk);
    if (size() >= KEPT_RESPONSE) break;
  }
  // Because of `stream`, a character that the limit cuts in two is dropped. A NUL is replaced, because SQLite may read
  // the text only up to it.
  const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, KEPT_RESPONSE), { stream: true });
  return text.replaceAll('\0', '\uFFFD');
}

/** Looks up the name while connecting, so that the checked address is the one in use. */
export function createGuardedConnector(route: DeliveryRoute, signal: AbortSignal): buildConnector.connector {
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

function lookupOf(route: DeliveryRoute): LookupFunction {
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
