import { idBeside } from '../../base/database/id-store.ts';
import type { JobFaults } from '../faults/applied-fault.ts';
import { type DeliveryFaultRow, deliveryFaultRow, WEBHOOK_FAULTS } from '../faults/delivery-faults.ts';

/** The faults of the proof of a genuine delivery, which an extra asks for. */
export const PROOF_FAULTS = ['hook.unsigned', 'hook.other_secret', 'hook.altered', 'hook.old'] as const;
export type ProofFault = (typeof PROOF_FAULTS)[number];

function isOfProof(fault: DeliveryFault): fault is ProofFault {
  return PROOF_FAULTS.some((each) => each === fault);
}

/** How a fault that is a row of the table changes a delivery. */
function rowOf(fault: DeliveryFault): DeliveryFaultRow | undefined {
  if (fault === 'before_delivery' || isOfProof(fault)) return undefined;
  return deliveryFaultRow(fault);
}

/** The faults of a delivery: how it is changed, or a crash of the process before its attempt. */
export const DELIVERY_FAULTS = [...WEBHOOK_FAULTS, 'before_delivery', ...PROOF_FAULTS] as const;
export type DeliveryFault = (typeof DELIVERY_FAULTS)[number];

/** The faults that a receiver has to refuse: another secret, or a signature older than its tolerance. */
export const REFUSABLE_FAULTS: readonly string[] = [
  ...WEBHOOK_FAULTS.filter((fault) => deliveryFaultRow(fault).receiver === 'refuse'),
  ...PROOF_FAULTS,
];

/**
 * The faults that make a delivery not genuine: its signature is to be refused, or it has an event of another type. A
 * duplicate of a genuine delivery is genuine, and so is one that was never sent.
 */
export const SPURIOUS_FAULTS: readonly string[] = [...REFUSABLE_FAULTS, 'unknown_type'];

export function isGenuine({ fault }: { fault: DeliveryFault | null }): boolean {
  return fault === null || !SPURIOUS_FAULTS.includes(fault);
}

/** How long a late delivery is held, and a reordered one waits for the next: milliseconds of real time. */
export const HELD_MS = 2_000;

/** How long its account has to be quiet before a delivery with `after_all` is sent: milliseconds of real time. */
export const QUIET_MS = 3_000;

export const DROPPED = 'drop: a fault rule kept this delivery from being sent';

/**
 * The faults of the deliveries that an event owes an endpoint, in their order; where there are two, the genuine one has
 * none. The process crashes only once, before the first delivery of all.
 */
export function plannedFaults(faults: JobFaults, isFirst: boolean): (DeliveryFault | null)[] {
  if (faults.crash === 'before_delivery' && isFirst) return ['before_delivery'];
  const { webhook } = faults;
  if (webhook === undefined) return [null];
  const { extra: side } = deliveryFaultRow(webhook);
  if (side === 'after') return [null, webhook];
  return side === 'before' ? [webhook, null] : [webhook];
}

/** A type that no receiver knows: the service may add new ones at any time. */
const UNKNOWN_TYPE = 'account.notice.created';

type Json = Record<string, unknown>;

/** The content of a delivery: its body, and the id of the event in it. */
export interface DeliveryContent {
  eventId: string;
  body: string;
}

/** The content of a delivery, as the fault changes it; the same in every run. */
export function faultyContent(content: DeliveryContent, fault: DeliveryFault, deliveryId: string): DeliveryContent {
  const body = rowOf(fault)?.body;
  if (body === 'respelled') return { ...content, body: respelled(JSON.parse(content.body)) };
  if (body === 'forged') return { ...content, body: forged(JSON.parse(content.body)) };
  return body === 'unknown_type' ? unknown(content, idBeside(deliveryId, 'event')) : content;
}

/** The same id with other data: a receiver that trusts it records what never happened. */
function forged(envelope: Json): string {
  const data = envelope.data as Json;
  const other = Object.fromEntries(Object.entries(data).map(([name, value]) => [name, falsified(name, value)]));
  return JSON.stringify({ ...envelope, data: other });
}

function falsified(name: string, value: unknown): unknown {
  if (name === 'result_url') return 'https://forged.invalid/result';
  if (name === 'seed' && typeof value === 'number') return value + 1;
  return name === 'error' ? { code: 'forged', message: 'This event is forged.' } : value;
}

function unknown({ body }: DeliveryContent, eventId: string): DeliveryContent {
  const { created } = JSON.parse(body) as Json;
  const data = { message: 'Something new has happened.' };
  return { eventId, body: JSON.stringify({ id: eventId, type: UNKNOWN_TYPE, created, data }) };
}

/** The same JSON in other bytes: keys in reverse order, spaces, and unneeded escapes. */
function respelled(value: unknown): string {
  if (typeof value === 'string') return escaped(value);
  if (Array.isArray(value)) return `[ ${value.map(respelled).join(', ')} ]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).toReversed();
  return `{ ${fields.map(([name, each]) => `${JSON.stringify(name)} : ${respelled(each)}`).join(', ')} }`;
}

function escaped(text: string): string {
  const plain = JSON.stringify(text).replaceAll('/', '\\/');
  return plain.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The age of an old timestamp in seconds: more than the five minutes that receivers allow. */
const AGE_SECONDS = 600;

/** What is to be signed, and its fault; `t` in unix seconds. */
interface ToSign {
  secret: string;
  fault: DeliveryFault;
  t: number;
  /** The header of the body with a secret and a time. */
  header(secret: string, t: number): string;
  /** The header of the first delivery of this event to this endpoint, if there was one. */
  before?: string | null | undefined;
}

/**
 * The signature header, as the fault changes it: with another secret, ten minutes old and valid then, together with a
 * wrong one, the header of the delivery before, or one with a later time than that.
 */
export function faultySignature({ secret, fault, t, before, header }: ToSign): string {
  if (fault === 'hook.other_secret') return header(`${secret}.not`, t);
  if (fault === 'hook.old') return header(secret, t - AGE_SECONDS);
  const kind = rowOf(fault)?.signature;
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
