import type { Finding } from './finding.ts';

/** A signed URL was read when its seven days were over. */
export const usedExpiredUrl: Finding = {
  name: 'used_expired_url',
  remedy:
    'A result URL is good for 7 days. Copy the file within them, read the job anew for one that holds, or ask for "store": true.',
  find({ requests }) {
    return requests
      .filter(({ path, error }) => path.startsWith('/cdn/') && error === 'url_expired')
      .map(({ id, accountId, path }) => ({
        accountId,
        message: `${path.split('?')[0]} was read after its URL had expired.`,
        requests: [id],
      }));
  },
};
