import type { Clock } from '../clock/clock.ts';
import { type JobFaults, WEBHOOK_FAULTS } from '../faults/struck.ts';
import { signatureHeader } from './signature.ts';

/** What a delivery carries: how it is spoilt, or that the process dies before its attempt. */
export const DELIVERY_FAULTS = [...WEBHOOK_FAULTS, 'before_delivery'] as const;
export type DeliveryFault = (typeof DELIVERY_FAULTS)[number];

/** How long a late delivery is held, and one out of order waits for the next: milliseconds of real time. */
export const HELD_MS = 2_000;

/** How far back an old timestamp lies, in seconds: past the five minutes that receivers allow. */
const AGE_SECONDS = 600;

export const DROPPED = 'drop: a fault rule kept this delivery from being sent';

/**
 * The deliveries that an event owes an endpoint, by their faults: one, or two of the same when it is duplicated;
 * the second is the one too many. The process dies but once, before the first delivery of all.
 */
export function owedFaults(faults: JobFaults | null | undefined, isFirst: boolean): (DeliveryFault | null)[] {
  if (!faults) return [null];
  if (faults.crash === 'before_delivery' && isFirst) return ['before_delivery'];
  if (faults.webhook === 'duplicate') return [null, 'duplicate'];
  return [faults.webhook ?? null];
}

/** What is signed, with what, and how it is to be spoilt; `t` in unix seconds. */
export interface ToSign {
  secret: string;
  body: string;
  fault: DeliveryFault | null;
  t: number;
}

/** The signature header, true or spoilt: under a secret that is not the endpoint's, or ten minutes old and true for then. */
export function faultySignature({ secret, body, fault, t }: ToSign): string {
  if (fault === 'bad_signature') return signatureHeader(`${secret}.not`, t, body);
  return signatureHeader(secret, fault === 'old_timestamp' ? t - AGE_SECONDS : t, body);
}

/** Resolves after `milliseconds` of real time, or as soon as `ended` aborts. */
export function hold(clock: Clock, milliseconds: number, ended: AbortSignal): Promise<void> {
  if (ended.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const cancel = clock.after(milliseconds, resolve);
    ended.addEventListener('abort', () => {
      cancel();
      resolve();
    });
  });
}
