import { deriveRelatedId } from '../../base/database/id-store.ts';
import { equivalentJsonText, withReversedFields } from '../../base/text.ts';
import { DELIVERY_FAULTS, type DeliveryFault, deliveryFaultDefinition } from '../faults/delivery-fault-table.ts';
import type { JobFaults } from '../faults/request-faults.ts';
import { signatureHeader } from './signature.ts';

export const REFUSABLE_FAULTS: readonly string[] = DELIVERY_FAULTS.filter(
  (each) => deliveryFaultDefinition(each).receiver === 'refuse',
);

/** Faults that send a wrong or old signature, or an event of an unknown type. A duplicate is genuine. */
export const NOT_GENUINE_FAULTS: readonly string[] = [...REFUSABLE_FAULTS, 'unknown_type'];

export function isGenuineDelivery({ fault }: { fault: DeliveryFault | null }): boolean {
  return fault === null || !NOT_GENUINE_FAULTS.includes(fault);
}

/** How long a late delivery waits, and a reordered one at most, in milliseconds of real time. */
export const LATE_DELIVERY_MS = 2_000;

/** How long an account must be quiet before an `after_all` delivery is sent, in milliseconds of real time. */
export const AFTER_ALL_QUIET_MS = 3_000;

export function faultOfEachDelivery({ webhook, change }: JobFaults): (DeliveryFault | null)[] {
  if (webhook === undefined) return change === 'unknown_event' ? ['unknown_type', null] : [null];
  const { extra: side } = deliveryFaultDefinition(webhook);
  if (side === 'after') return [null, webhook];
  return side === 'before' ? [webhook, null] : [webhook];
}

/** Receivers must ignore types that they do not know, because the service may add types. */
const UNKNOWN_TYPE = 'account.notice.created';

type Json = Record<string, unknown>;

export interface DeliveryContent {
  eventId: string;
  body: string;
}

export function applyFaultToContent(
  content: DeliveryContent,
  fault: DeliveryFault,
  deliveryId: string,
): DeliveryContent {
  const { body } = deliveryFaultDefinition(fault);
  if (body === 'respelled') return { ...content, body: respelled(JSON.parse(content.body)) };
  if (body === 'forged') return { ...content, body: forged(JSON.parse(content.body)) };
  return body === 'unknown_type' ? unknown(content, deriveRelatedId(deliveryId, 'event')) : content;
}

/** Falsifies the data and keeps the id, so that a receiver that trusts the body records a false result. */
function forged(envelope: Json): string {
  const data = envelope.data as Json;
  const other = Object.fromEntries(Object.entries(data).map(([name, value]) => [name, falsified(name, value)]));
  return JSON.stringify({ ...envelope, data: other });
}

const FORGED_CREDITS = 1_000_000_000;

function falsified(name: string, value: unknown): unknown {
  if (name === 'result_url') return 'https://forged.invalid/result';
  if (name === 'seed' && typeof value === 'number') return value + 1;
  if (name === 'run') return { ...(value as Json), credits: FORGED_CREDITS };
  return name === 'error' ? { code: 'forged', message: 'This event is forged.' } : value;
}

function unknown({ body }: DeliveryContent, eventId: string): DeliveryContent {
  const { created } = JSON.parse(body) as Json;
  const data = { message: 'Something new has happened.' };
  return { eventId, body: JSON.stringify({ id: eventId, type: UNKNOWN_TYPE, created, data }) };
}

/** Equal JSON with other characters: a receiver that parses the body and writes it again cannot verify the signature. */
function respelled(value: unknown): string {
  return equivalentJsonText(withReversedFields(value));
}

const AGE_SECONDS = 600;

interface ToSign {
  secret: string;
  fault: DeliveryFault;
  t: number;
  body: string | Uint8Array;
  before?: string | null | undefined;
}

/** An `old` header was valid ten minutes ago. A `two` header contains a wrong `v1` before the right one. */
export function signWithFault({ secret, fault, t, before, body }: ToSign): string {
  const header = (key: string, time: number) => signatureHeader(key, time, body);
  const { signature: kind } = deliveryFaultDefinition(fault);
  if (kind === 'repeated' && before) return before;
  if (kind === 'other_secret') return header(`${secret}.not`, t);
  if (kind === 'old') return header(secret, t - AGE_SECONDS);
  if (kind === 'renewed') return header(secret, Math.max(t, timeOf(before) + 1));
  if (kind !== 'two') return header(secret, t);
  const [, wrong = ''] = header(`${secret}.not`, t).split(',');
  const [time = '', right = ''] = header(secret, t).split(',');
  return [time, wrong, right].join(',');
}

function timeOf(header: string | null | undefined): number {
  return Number(/^t=(\d+)/.exec(header ?? '')?.[1] ?? 0);
}
