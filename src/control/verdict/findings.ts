import type { TellingDelivery } from '../../engine/webhooks/trail-store.ts';
import { type Case, type Evidence, type Finding, type Seen, SLOW_MS } from './evidence.ts';
import { paidAgain, paidTwice } from './paid-repetitions.ts';
import { ignoredRetryAfter, retried402 } from './repeated-requests.ts';

/** So many reads of one job within so many milliseconds are no fault yet. */
const MOST_READS = 20;
const WINDOW = 1000;

/** One unfinished job was read more than 20 times within a second. */
const polledTooOften: Finding = {
  name: 'polled_too_often',
  remedy: 'Wait between two reads of a job, a second at least and longer each time, or let a webhook tell of its end.',
  *find({ requests }) {
    const reads = new Map<string, Seen[]>();
    for (const each of requests) {
      yield;
      if (each.openJob === undefined) continue;
      const ofJob = reads.get(each.openJob);
      if (ofJob) ofJob.push(each);
      else reads.set(each.openJob, [each]);
    }
    for (const [job, ofJob] of reads) yield crowdOf(job, ofJob);
  },
};

/** The first second that has too many; answers may be on record in another order than the requests came. */
function crowdOf(job: string, reads: readonly Seen[]): Case | undefined {
  const sorted = reads.toSorted((a, b) => a.began - b.began);
  const at = sorted.findIndex((first, nth) => {
    const last = sorted[nth + MOST_READS];
    return last !== undefined && last.began - first.began < WINDOW;
  });
  const first = sorted[at];
  if (!first) return undefined;
  const crowd = sorted.slice(at).filter(({ began }) => began - first.began < WINDOW);
  const message = `${job} was read ${crowd.length} times within a second, and was not final yet.`;
  return { accountId: first.accountId, message, requests: crowd.map(({ id }) => id) };
}

/** A signed URL was read when its seven days were over. */
const usedExpiredUrl: Finding = {
  name: 'used_expired_url',
  remedy:
    'A result URL is good for 7 days. Copy the file within them, read the job anew for one that holds, or ask for "store": true.',
  *find({ requests }) {
    for (const { id, accountId, path, error } of requests) {
      const isExpired = path.startsWith('/cdn/') && error === 'url_expired';
      const message = `${path.split('?')[0]} was read after its URL had expired.`;
      yield isExpired ? { accountId, message, requests: [id] } : undefined;
    }
  },
};

const FORGED: Record<string, string> = {
  bad_signature: 'whose signature was false',
  old_timestamp: 'whose time lay ten minutes back',
  forged: 'that was forged',
  replayed: 'that was replayed ten minutes later',
  'hook.unsigned': 'that had no signature',
  'hook.other_secret': 'that was signed with the secret of another endpoint',
  'hook.altered': 'whose data had been changed after it was signed',
  'hook.old': 'whose time lay ten minutes back',
};

/** A receiver answered 2xx to a delivery whose signature or time a fault rule or a lie had falsified. */
const acceptedForgery: Finding = {
  name: 'accepted_forgery',
  remedy:
    'Check svc-signature against the raw body and the secret of the endpoint, and its t against the clock (5 minutes), before anything else; answer 400 to what does not verify.',
  *find(evidence) {
    for (const delivery of evidence.deliveries) {
      const how = FORGED[delivery.fault ?? ''];
      if (!how || delivery.status !== 'delivered' || isOwnInbox(delivery)) continue;
      const { accountId, url, id } = delivery;
      const message = `${url} took a delivery ${how}.`;
      yield { accountId, message, requests: startOf(evidence, delivery), deliveries: [id] };
    }
  },
};

/** A receiver took half of its ten seconds or more, or all of them. */
const slowReceiver: Finding = {
  name: 'slow_receiver',
  remedy: 'Answer a webhook at once and do the work afterwards: a delivery has 10 seconds and is not sent again.',
  *find(evidence) {
    for (const delivery of evidence.deliveries) {
      const { id, accountId, url, durationMs } = delivery;
      if (durationMs === null || durationMs < SLOW_MS || isOwnInbox(delivery)) continue;
      const message = `${url} kept a webhook waiting for ${durationMs} ms.`;
      yield { accountId, message, requests: startOf(evidence, delivery), deliveries: [id] };
    }
  },
};

/** A genuine delivery ended without 2xx, and the end of its job was never read, so that it is lost. */
const lostEvent: Finding = {
  name: 'lost_event',
  remedy:
    'A delivery is not sent again. Answer 2xx as soon as an event is kept, and read the jobs that are still open to you from time to time, whatever webhooks tell.',
  *find(evidence) {
    for (const delivery of evidence.lost) {
      const { id, accountId, url, jobId, error, responseStatus } = delivery;
      const requests = startOf(evidence, delivery);
      // Whose order is not on record may have been read without that being on record either.
      if (jobId === null || requests.length === 0 || evidence.known.has(jobId) || isOwnInbox(delivery)) continue;
      const how = responseStatus === null ? error : `answered ${responseStatus}`;
      const message = `${url} did not take the end of ${jobId} (${how}), and nobody read that job afterwards.`;
      yield { accountId, message, requests, deliveries: [id] };
    }
  },
};

/** What is looked for, in the order of the answer. Each says only what a server can know. */
export const FINDINGS: readonly Finding[] = [
  ...[retried402, ignoredRetryAfter, paidTwice, polledTooOften, usedExpiredUrl],
  ...[acceptedForgery, slowReceiver, lostEvent, paidAgain],
];

/** The emulator's own receiver accepts everything, which is no fault of the client. */
function isOwnInbox({ url }: TellingDelivery): boolean {
  return url.includes('/_emulator/inbox/');
}

/** The request whose work was announced, where it is still on record. */
function startOf({ starts }: Evidence, { jobId, runId }: TellingDelivery): string[] {
  const start = starts.get(jobId ?? runId ?? '');
  return start ? [start] : [];
}
