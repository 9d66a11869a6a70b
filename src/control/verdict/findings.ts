import { numberOf } from '../../base/database/id-store.ts';
import { findRefund, wasCredited } from '../../engine/ledger/entry-store.ts';
import type { TellingDelivery } from '../../engine/webhooks/trail-store.ts';
import { type Case, type Evidence, type Finding, type Search, type Seen, SLOW_MS } from './evidence.ts';

type Pair = readonly [Seen, Seen];

/** The same request came again after a 402 although there was no more to pay with than before. */
const retried402: Finding = {
  name: 'retried_402',
  remedy:
    'Do not send a request again that was answered 402: it cannot succeed before there are more credits. Notify the person who pays, top up, and only then repeat it.',
  *find({ emulator, alike }) {
    const wasPaid = ({ accountId, received }: Seen, to: number) =>
      wasCredited(emulator.database, accountId, { from: received, to });
    for (const group of alike) {
      const repeated = yield* repetitions(group, ({ status }) => status === 402);
      const pairs = repeated.filter(([first, next]) => isVain(first, next, wasPaid));
      yield* caseOf(
        pairs,
        ({ method, path }) => `${method} ${path} was answered 402 and sent again with no more credits.`,
      );
    }
  },
};

function isVain(first: Seen, next: Seen, wasPaidSince: (first: Seen, to: number) => boolean): boolean {
  // A 402 that a rule or a directive gave says nothing of the balance.
  if (first.left === undefined) return !wasPaidSince(first, next.received);
  const after = next.status === 402 ? next.left : undefined;
  return after !== undefined && after <= first.left;
}

/** The same request came again before the time that the answer to the first had named. */
const ignoredRetryAfter: Finding = {
  name: 'ignored_retry_after',
  remedy:
    'Read the Retry-After header of a 429 or 503 and wait so many seconds before the next try; the official clients do so by themselves.',
  *find({ alike, requests }) {
    const known = new Set<string>();
    for (const group of alike) {
      const pairs = (yield* repetitions(group, isAskedToWait)).filter(isTooEarly);
      for (const { id } of pairs.flat()) known.add(id);
      yield* caseOf(pairs, cameSooner);
    }
    for (const pair of yield* declaredRetries(requests)) {
      if (pair.some(({ id }) => !known.has(id))) yield* caseOf([pair], cameSooner);
    }
  },
};

function isAskedToWait({ retryAfter = 0 }: Seen): boolean {
  return retryAfter > 0;
}

function cameSooner({ method, path, retryAfter }: Seen): string {
  return `${method} ${path} was asked to come again after ${retryAfter} s and came sooner.`;
}

const HOUR = 3_600_000;

/**
 * A limit is checked before a body is read, so whether two bodies are alike is unknown. But where the client says of
 * itself that it tries again, and whatever it could mean was asked to wait longer, it has not waited.
 */
function* declaredRetries(requests: readonly Seen[]): Search<Pair[]> {
  const pairs: Pair[] = [];
  for (const [at, again] of requests.entries()) {
    yield;
    if (again.retryCount === 0) continue;
    const earlier = earlierTries(requests, at, again).filter(
      (each) => isOfOneKind(each, again) && again.began - each.ended < HOUR,
    );
    const last = earlier.at(-1);
    if (last && earlier.every((each) => isAskedToWait(each) && isTooEarly([each, again]))) pairs.push([last, again]);
  }
  return pairs;
}

function isOfOneKind(first: Seen, again: Seen): boolean {
  return first.accountId === again.accountId && first.method === again.method && first.path === again.path;
}

/** Clocks of two machines, and of two cores, are not the same to the millisecond. */
const TOLERANCE = 50;

/** Too early by both clocks: a test that moved the emulator's clock has let the time pass. */
function isTooEarly([first, next]: Pair): boolean {
  const wanted = (first.retryAfter ?? 0) * 1000 - TOLERANCE;
  const answered = first.received + (first.ended - first.began);
  return next.began - first.ended < wanted && next.received - answered < wanted;
}

/** What came later than this after a request is taken for unrelated: 10 minutes. */
const LONG_AFTER = 600_000;

/** The pairs of a request and the next one like it, sent when the answer to the first was out, and not long after. */
function* repetitions(alike: readonly Seen[], of: (first: Seen) => boolean): Search<Pair[]> {
  const pairs: Pair[] = [];
  for (const [at, first] of alike.entries()) {
    yield;
    if (!of(first)) continue;
    let after = at + 1;
    while (after < alike.length && (alike[after]?.began ?? 0) < first.ended) after += 1;
    const next = alike[after];
    if (next && next.began - first.ended < LONG_AFTER) pairs.push([first, next]);
  }
  return pairs;
}

/** How far back it is looked for what a client tries again. */
const NEAR = 200;

/** What a request may try again by its own word: near before it, answered when it came, and of one try less. */
function earlierTries(requests: readonly Seen[], at: number, again: Seen): Seen[] {
  return requests
    .slice(Math.max(0, at - NEAR), at)
    .filter(({ ended, retryCount }) => ended <= again.began && retryCount === again.retryCount - 1);
}

/** One case for all repetitions of the same request. */
function* caseOf(pairs: readonly Pair[], says: (first: Seen) => string): Search {
  const [[first] = []] = pairs;
  if (!first) return;
  const requests = [...new Set(pairs.flat().map(({ id }) => id))];
  yield { accountId: first.accountId, message: says(first), requests };
}

/** Operations whose work is in their answer alone: they make no job, and nothing is kept that could be looked for. */
const ANSWER_ALONE = /^\/v1\/(?:chat\/completions|audio\/speech|audio\/transcriptions)$/;

/** The same order came again, and both are paid, because the answer to the first had not come through. */
const paidTwice: Finding = {
  name: 'paid_twice',
  remedy:
    'A connection that ends early has no bearing on the order: it may be done and paid. Look for its result first (the job, the library, the webhook), give the call more time, and repeat it only when nothing was made.',
  *find({ emulator, alike }) {
    for (const group of alike) {
      if (isAnswerAlone(group)) continue;
      yield* caseOf(
        yield* paidRepetitions(emulator, group),
        ({ path }) => `POST ${path} was sent again without knowing what had become of the first, and both were paid.`,
      );
    }
  },
};

/**
 * The same of a chat, speech or transcription: a client cannot know whether the first was paid, so that it can but pay
 * again or go without. One case of each account, whatever was sent again.
 */
const paidAgain: Finding = {
  name: 'paid_again',
  remedy:
    'A chat, speech or transcription makes no job, so what a lost answer held cannot be had without paying again. Do not retry paid calls by yourself (maxRetries: 0 with the official client), give them more time and let the user decide; or accept it: --allow paid_again.',
  *find({ emulator, alike }) {
    const byAccount = new Map<string, Set<Seen>>();
    for (const group of alike.filter(isAnswerAlone)) {
      for (const each of (yield* paidRepetitions(emulator, group)).flat()) {
        byAccount.set(each.accountId, (byAccount.get(each.accountId) ?? new Set()).add(each));
      }
    }
    for (const [accountId, requests] of byAccount) yield againCase(accountId, [...requests]);
  },
};

function againCase(accountId: string, requests: readonly Seen[]): Case {
  const sites = [...new Set(requests.map(({ path }) => `POST ${path}`))].sort();
  const message = `Sent again, and paid again, after a lost or late answer: ${sites.join(', ')}.`;
  return { accountId, message, requests: requests.toSorted((a, b) => a.began - b.began).map(({ id }) => id) };
}

/** Requests of one group are of one path. */
function isAnswerAlone([first]: readonly Seen[]): boolean {
  return first !== undefined && ANSWER_ALONE.test(first.path);
}

/** Pairs of requests of a group that are alike and were both paid, the second because the first was not answered. */
function* paidRepetitions(emulator: Evidence['emulator'], group: readonly Seen[]): Search<Pair[]> {
  if (!group.some(isDoubtful)) return [];
  const paid: Seen[] = [];
  for (const each of group) {
    if (each.method === 'POST' && isPaid(emulator, each)) paid.push(each);
    yield;
  }
  const repeated = yield* repetitions(paid, (first) => first.isLost);
  return [...repeated, ...(yield* retries(group, paid))];
}

/** Its answer may have been lost, or it is sent again by its own word: what else is alike is so by intent. */
function isDoubtful({ isLost, retryCount }: Seen): boolean {
  return isLost || retryCount > 0;
}

/** Where the client says of itself that it tries again, and every request that it could have tried before is paid. */
function* retries(group: readonly Seen[], paid: readonly Seen[]): Search<Pair[]> {
  const isPaidFor = new Set(paid);
  const pairs: Pair[] = [];
  for (const [at, again] of group.entries()) {
    yield;
    if (again.retryCount === 0 || !isPaidFor.has(again)) continue;
    const earlier = earlierTries(group, at, again);
    const last = earlier.at(-1);
    if (last && earlier.every((each) => isPaidFor.has(each))) pairs.push([last, again]);
  }
  return pairs;
}

function isPaid({ database, random }: Evidence['emulator'], { accountId, charges }: Seen): boolean {
  return charges.some((id) => {
    const n = numberOf(random, 'entry', accountId, id);
    return n !== undefined && findRefund(database, accountId, n) === undefined;
  });
}

/** So many reads of one job within so many milliseconds are no fault yet. */
const MOST_READS = 20;
const WINDOW = 1000;

/** One unfinished job was read more than 20 times within a second. */
const polledTooOften: Finding = {
  name: 'polled_too_often',
  remedy: 'Wait between two reads of a job, a second at least and longer each time, or let a webhook report its end.',
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
    'A delivery is not sent again. Answer 2xx as soon as an event is kept, and read the jobs that are still open to you from time to time, whatever webhooks say.',
  *find(evidence) {
    for (const delivery of evidence.lost) {
      const { id, accountId, url, jobId, error, responseStatus } = delivery;
      const requests = startOf(evidence, delivery);
      // Whose order is not on record may have been read without that being on record either.
      if (jobId === null || requests.length === 0 || evidence.known.has(jobId) || isOwnInbox(delivery)) continue;
      const how = responseStatus === null ? error : `answered ${responseStatus}`;
      const message = `${url} did not take the end of ${jobId} (${how}), and that job was not read afterwards.`;
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
