import Stripe from 'stripe';
import type { Received } from '../../support/receiver.ts';

/** The event as a receiver on the stripe package gets it; throws when the signature does not fit. */
export function constructStripeEvent(request: Received | undefined, secret: string): unknown {
  const header = String(request?.headers['svc-signature']);
  return new Stripe('sk_test').webhooks.constructEvent(request?.body ?? '', header, secret);
}
