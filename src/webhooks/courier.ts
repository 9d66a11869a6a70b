import { type Clock, unixSeconds } from '../clock/clock.ts';
import { type DeliveryFault, faultySignature } from './delivery-fault.ts';
import type { Outcome } from './delivery-queue-store.ts';
import { type Answer, sendRequest } from './send-request.ts';
import { SIGNATURE_HEADER } from './signature.ts';
import type { UrlGuard } from './url-guard.ts';

/** All that an attempt needs to know. */
export interface Parcel {
  deliveryId: string;
  eventId: string;
  url: string;
  secret: string;
  /** The exact bytes, as text, that are signed and sent. */
  body: string;
  fault: DeliveryFault | null;
  /** The signature header under which the event came to this endpoint before. */
  before?: string | null;
}

export interface CourierOptions {
  clock: Clock;
  guard: UrlGuard;
  /** What an attempt may take from the first look at the name to the end of the answer: milliseconds of real time. */
  budgetMs: number;
}

/** Makes one attempt: signs, sends once, and says what came back. Never rejects. */
export class Courier {
  readonly #clock: Clock;
  readonly #guard: UrlGuard;
  readonly #budgetMs: number;

  constructor({ clock, guard, budgetMs }: CourierOptions) {
    this.#clock = clock;
    this.#guard = guard;
    this.#budgetMs = budgetMs;
  }

  /** `cancelled` cuts the attempt short; the message of its reason becomes the outcome's error. */
  async attempt(parcel: Parcel, cancelled: AbortSignal): Promise<Outcome> {
    const started = this.#clock.real();
    const signature = this.sign(parcel, started);
    const result = await this.#send(parcel, signature, cancelled).then(judge, lost);
    return { signature, durationMs: this.#clock.real() - started, ...result };
  }

  /** `t` is the machine's time, whatever the emulator's clock says, so that a receiver's 5-minute rule holds. */
  sign({ secret, body, fault, before }: Parcel, real: number): string {
    return faultySignature({ secret, body, fault, before, t: unixSeconds(real) });
  }

  async #send(parcel: Parcel, signature: string, cancelled: AbortSignal): Promise<Answer> {
    const budget = new AbortController();
    const cancel = this.#clock.after(this.#budgetMs, () =>
      budget.abort(new Error(`timeout: no complete answer within ${this.#budgetMs} ms`)),
    );
    const signal = AbortSignal.any([cancelled, budget.signal]);
    try {
      signal.throwIfAborted();
      const message = { headers: deliveryHeaders(parcel, signature), body: parcel.body };
      return await sendRequest(this.#guard.route(parcel.url), message, signal);
    } finally {
      cancel();
    }
  }
}

/** What goes with the body of a delivery. */
export function deliveryHeaders(
  { deliveryId, eventId }: Pick<Parcel, 'deliveryId' | 'eventId'>,
  signature: string,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'svc-emulator/1.0',
    [SIGNATURE_HEADER]: signature,
    'svc-emulator-event': eventId,
    'svc-emulator-delivery': deliveryId,
  };
}

type Result = Pick<Outcome, 'status' | 'responseStatus' | 'responseBody' | 'error'>;

function judge({ status, body }: Answer): Result {
  const delivered = status >= 200 && status < 300;
  return {
    status: delivered ? 'delivered' : 'failed',
    responseStatus: status,
    responseBody: body,
    error: delivered ? null : complaint(status),
  };
}

function complaint(status: number): string {
  if (status === 410) return 'answered 410: the endpoint was deleted';
  if (status < 400) return `answered ${status}: redirects are not followed, 2xx was expected`;
  return `answered ${status} where 2xx was expected`;
}

function lost(error: Error & { code?: string }): Result {
  const code = error.code && !error.message.includes(error.code) ? error.code : '';
  const reason = [code, error.message].filter(Boolean).join(': ');
  return { status: 'failed', responseStatus: null, responseBody: null, error: reason };
}
