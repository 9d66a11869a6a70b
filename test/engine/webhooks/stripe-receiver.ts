import Stripe from 'stripe';
import type { Received } from '../../support/receiver.ts';

/** Parses the event with the stripe package. Throws if the signature does not match. */
export function constructStripeEvent(request: Received | undefined, secret: string): unknown {
  const header = String(request?.headers['svc-signature']);
  return new Stripe('sk_test').webhooks.constructEvent(request?.body ?? '', header, secret);
}
