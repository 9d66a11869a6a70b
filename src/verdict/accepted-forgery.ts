import { isOwnInbox, startOf } from './evidence.ts';
import type { Finding } from './finding.ts';

const FORGED: Record<string, string> = {
  bad_signature: 'whose signature was false',
  old_timestamp: 'whose time lay ten minutes back',
  forged: 'that was forged',
  replayed: 'that was replayed ten minutes later',
};

/** A receiver answered 2xx to a delivery whose signature or time a fault rule had falsified. */
export const acceptedForgery: Finding = {
  name: 'accepted_forgery',
  remedy:
    'Check svc-signature against the raw body and the secret of the endpoint, and its t against the clock (5 minutes), before anything else; answer 400 to what does not verify.',
  find(evidence) {
    return evidence.deliveries.flatMap((delivery) => {
      const how = FORGED[delivery.fault ?? ''];
      if (!how || delivery.status !== 'delivered' || isOwnInbox(delivery)) return [];
      const { accountId, url, id } = delivery;
      const message = `${url} took a delivery ${how}.`;
      return [{ accountId, message, requests: startOf(evidence, delivery), deliveries: [id] }];
    });
  },
};
