import { isOwnInbox, SLOW_MS, startOf } from './evidence.ts';
import type { Finding } from './finding.ts';

/** A receiver took half of its ten seconds or more, or all of them. */
export const slowReceiver: Finding = {
  name: 'slow_receiver',
  remedy: 'Answer a webhook at once and do the work afterwards: a delivery has 10 seconds and is not sent again.',
  find(evidence) {
    return evidence.deliveries.flatMap((delivery) => {
      const { id, accountId, url, durationMs } = delivery;
      if (durationMs === null || durationMs < SLOW_MS || isOwnInbox(delivery)) return [];
      const message = `${url} kept a webhook waiting for ${durationMs} ms.`;
      return [{ accountId, message, requests: startOf(evidence, delivery), deliveries: [id] }];
    });
  },
};
