import { isOwnInbox, startOf } from './evidence.ts';
import type { Finding } from './finding.ts';

/** A genuine delivery ended without 2xx, and the end of its job was never read, so that it is lost. */
export const lostEvent: Finding = {
  name: 'lost_event',
  remedy:
    'A delivery is not sent again. Answer 2xx as soon as an event is kept, and read the jobs that are still open to you from time to time, whatever webhooks tell.',
  find(evidence) {
    return evidence.lost.flatMap((delivery) => {
      const { id, accountId, url, jobId, error, responseStatus } = delivery;
      const requests = startOf(evidence, delivery);
      // Whose order is not on record may have been read without that being on record either.
      if (jobId === null || requests.length === 0 || evidence.known.has(jobId) || isOwnInbox(delivery)) return [];
      const how = responseStatus === null ? error : `answered ${responseStatus}`;
      const message = `${url} did not take the end of ${jobId} (${how}), and nobody read that job afterwards.`;
      return [{ accountId, message, requests, deliveries: [id] }];
    });
  },
};
