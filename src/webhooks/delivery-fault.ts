import type { JobFaults } from '../faults/applied-fault.ts';
import { deliveryFaultRow, WEBHOOK_FAULTS } from '../faults/delivery-faults.ts';
import { signatureHeader } from './signature.ts';

/** What a delivery carries: how it is spoilt, or that the process dies before its attempt. */
export const DELIVERY_FAULTS = [...WEBHOOK_FAULTS, 'before_delivery'] as const;
export type DeliveryFault = (typeof DELIVERY_FAULTS)[number];

/** What a receiver has to refuse: deliveries under another secret, and signatures from before its tolerance. */
export const REFUSABLE_FAULTS: readonly string[] = WEBHOOK_FAULTS.filter(
  (fault) => deliveryFaultRow(fault).receiver === 'refuse',
);

/**
 * What is no genuine delivery of the event that it is on record for: its signature is to be refused, or it carries an
 * event of another type. A duplicate of a genuine one is genuine, and so is one that was never sent.
 */
export const SPURIOUS_FAULTS: readonly string[] = [...REFUSABLE_FAULTS, 'unknown_type'];

export function isGenuine({ fault }: { fault: DeliveryFault | null }): boolean {
  return fault === null || !SPURIOUS_FAULTS.includes(fault);
}

/** How long a late delivery is held, and one out of order waits for the next: milliseconds of real time. */
export const HELD_MS = 2_000;

/** For how long nothing of its account has begun when a delivery comes after all: milliseconds of real time. */
export const QUIET_MS = 3_000;

/** How far back an old timestamp lies, in seconds: past the five minutes that receivers allow. */
const AGE_SECONDS = 600;

export const DROPPED = 'drop: a fault rule kept this delivery from being sent';

/**
 * The deliveries that an event owes an endpoint, by their faults, in their order: the genuine one has none where another
 * one is too many. The process dies but once, before the first delivery of all.
 */
export function owedFaults(faults: JobFaults | null | undefined, isFirst: boolean): (DeliveryFault | null)[] {
  if (!faults) return [null];
  if (faults.crash === 'before_delivery' && isFirst) return ['before_delivery'];
  const { webhook } = faults;
  if (webhook === undefined) return [null];
  const { extra: side } = deliveryFaultRow(webhook);
  if (side === 'after') return [null, webhook];
  return side === 'before' ? [webhook, null] : [webhook];
}

/** What is signed, with what, and how it is to be spoilt; `t` in unix seconds. */
export interface ToSign {
  secret: string;
  body: string;
  fault: DeliveryFault | null;
  t: number;
  /** The header under which the same event came to the same endpoint before, where it did. */
  before?: string | null | undefined;
}

/**
 * The signature header, true or spoilt: under a secret that is not the endpoint's, ten minutes old and true for then,
 * beside one that does not fit, the very one that came before, or one with another time than that.
 */
export function faultySignature({ secret, body, fault, t, before }: ToSign): string {
  const header = (key: string, time: number) => signatureHeader(key, time, body);
  const way = fault === null || fault === 'before_delivery' ? undefined : deliveryFaultRow(fault).signature;
  if (way === 'repeated' && before) return before;
  if (way === 'other_secret') return header(`${secret}.not`, t);
  if (way === 'old') return header(secret, t - AGE_SECONDS);
  if (way === 'renewed') return header(secret, Math.max(t, timeOf(before) + 1));
  if (way !== 'two') return header(secret, t);
  const [, wrong = ''] = header(`${secret}.not`, t).split(',');
  const [time = '', right = ''] = header(secret, t).split(',');
  return [time, wrong, right].join(',');
}

function timeOf(header: string | null | undefined): number {
  return Number(/^t=(\d+)/.exec(header ?? '')?.[1] ?? 0);
}
