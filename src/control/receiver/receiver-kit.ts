import { Readable } from 'node:stream';
import { type Clock, unixSeconds, withTimeout } from '../../base/clock/clock.ts';
import { DEFAULT_URL } from '../../base/config/config-options.ts';
import { invalidRequestError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { type DeliveryFault, deliveryFaultDefinition } from '../../engine/faults/delivery-fault-table.ts';
import {
  applyFaultToContent,
  type DeliveryContent,
  signWithFault,
} from '../../engine/webhooks/apply-delivery-fault.ts';
import type { Envelope, ServiceEventType } from '../../engine/webhooks/event-schemas.ts';
import { isLoopbackHost } from '../../engine/webhooks/hosts.ts';
import { exampleEventData } from '../../engine/webhooks/samples.ts';
import { createGuardedConnector, deliveryHeaders } from '../../engine/webhooks/send-delivery.ts';
import { SIGNATURE_HEADER, signPayload } from '../../engine/webhooks/signature.ts';
import { type DeliveryRoute, UrlGuard } from '../../engine/webhooks/url-guard.ts';

export interface TestDeliveryMessage {
  headers: Record<string, string>;
  body: Buffer;
  pieces?: number;
  readsLate?: boolean;
}

const PLAIN: ServiceEventType = 'image.generation.succeeded';

export type TestDeliveryFactory = ReturnType<typeof createTestDeliveryFactory>;

/** Each event has a new id, so that a receiver does not ignore it as known. */
export function createTestDeliveryFactory({ clock, random, secret }: { clock: Clock; random: Random; secret: string }) {
  const now = () => unixSeconds(clock.real());
  const newId = (prefix: string) => `${prefix}_${random.scratchName()}`;
  const envelope = (type: ServiceEventType = PLAIN): Envelope => {
    const data = exampleEventData({ type, baseUrl: DEFAULT_URL, now: clock.real() });
    return { id: newId('evt'), type, created: now(), data };
  };
  /** `header` returns the signature header; undefined leaves it out. */
  const delivery = (
    event: Envelope,
    header: (t: number, v1At: (t: number) => string) => string | undefined = (t, v1At) => `t=${t},v1=${v1At(t)}`,
  ): TestDeliveryMessage => {
    const { eventId, body } = makeDeliveryContent(event);
    const signature = header(now(), (t) => signPayload(secret, t, body)) ?? null;
    const headers = deliveryHeaders({ eventId, deliveryId: newId('dlv') }, signature);
    return { headers, body: Buffer.from(body) };
  };
  const faulty = (event: Envelope, fault: DeliveryFault): TestDeliveryMessage[] => {
    const genuine = delivery(event);
    const deliveryId = newId('dlv');
    const { eventId, body } = applyFaultToContent(makeDeliveryContent(event), fault, deliveryId);
    const signature = signWithFault({ fault, secret, t: now(), before: genuine.headers[SIGNATURE_HEADER], body });
    const posting = { headers: deliveryHeaders({ eventId, deliveryId }, signature), body: Buffer.from(body) };
    return deliveryFaultDefinition(fault).extra === 'after' ? [genuine, posting] : [posting];
  };
  return { envelope, delivery, faulty };
}

export function makeDeliveryContent(envelope: Envelope): DeliveryContent {
  return { eventId: envelope.id, body: JSON.stringify(envelope) };
}

export type PostResult = Awaited<ReturnType<typeof postToReceiver>>;

interface PostOptions {
  clock: Clock;
  timeoutMs: number;
  pauseMs: number;
  gone: AbortSignal | undefined;
}

/** Resolves even if the request fails: `error` then contains the reason. */
export async function postToReceiver(route: DeliveryRoute, posting: TestDeliveryMessage, limits: PostOptions) {
  const { clock, timeoutMs, gone = new AbortController().signal } = limits;
  const started = clock.real();
  const bounds = { milliseconds: timeoutMs, gone };
  const exchanged = withTimeout(clock, bounds, (signal) => exchange(route, posting, { ...limits, signal }));
  const seen = await exchanged.then(
    (status) => ({
      status: status ?? null,
      error: status === undefined ? `no complete response within ${timeoutMs / 1000} s` : null,
    }),
    (error: unknown) => ({ status: null, error: reasonOf(error) }),
  );
  return { ...seen, durationMs: clock.real() - started };
}

async function exchange(
  route: DeliveryRoute,
  { headers, body, pieces = 1, readsLate = false }: TestDeliveryMessage,
  { clock, pauseMs, signal }: PostOptions & { signal: AbortSignal },
): Promise<number> {
  const pause = (milliseconds: number) => new Promise<void>((resolve) => clock.after(milliseconds, resolve));
  async function* slowly() {
    const length = Math.ceil(body.length / pieces);
    for (let from = 0; from < body.length; from += length) {
      yield body.subarray(from, from + length);
      await pause(pauseMs / pieces);
    }
  }
  // Loaded on demand, to keep the start fast.
  const { Client } = (await import('undici')).default;
  const { origin, pathname, search } = route.target;
  const client = new Client(origin, {
    connect: createGuardedConnector(route, signal),
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  try {
    const answer = await client.request({
      method: 'POST',
      path: `${pathname}${search}`,
      headers: { ...headers, 'content-length': `${body.length}` },
      body: pieces === 1 ? body : Readable.from(slowly()),
      reset: true,
      signal,
    });
    answer.body.on('error', () => undefined);
    if (readsLate) await pause(pauseMs);
    for await (const _chunk of answer.body);
    return answer.statusCode;
  } finally {
    await client.destroy();
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'UND_ERR_SOCKET') return 'socket hang up';
  return code === 'ECONNREFUSED' ? 'no response: nothing listens there' : error.message || code;
}

export function resolveReceiverRoute(clock: Clock, { url, remote = false }: ReportCardOptions): DeliveryRoute {
  const guard = new UrlGuard({ clock, strict: false, isReachable: false, forwards: new Map() });
  if (remote || !URL.canParse(url) || isLoopbackHost(new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')))
    return guard.route(url);
  throw invalidRequestError(
    'url',
    `url leads to ${new URL(url).host.slice(0, 200)}, and only receivers on this machine are tested unless remote is true.`,
  );
}

export interface ReportCardOptions {
  url: string;
  secret: string;
  events?: readonly ServiceEventType[] | undefined;
  remote?: boolean | undefined;
  timeoutSeconds?: number | undefined;
  onCheck?: ((done: number, total: number) => void) | undefined;
  gone?: AbortSignal | undefined;
}
