import { z } from 'zod';
import { waitRealTime } from '../../base/clock/clock.ts';
import { parseIdNumber } from '../../base/database/id-store.ts';
import { countWithNoun, groupBy } from '../../base/text.ts';
import { findRefund, wasCredited } from '../../engine/ledger/entry-store.ts';
import type { LostDelivery, SuspectDelivery } from '../../engine/webhooks/webhook-list-store.ts';
import type { Context } from '../../service/http/context.ts';
import { gatherEvidence, type RequestEvidence, SLOW_RECEIVER_MS, type VerdictEvidence } from './evidence.ts';
import { type FindingName, VERDICT_FINDING_NAMES } from './finding-names.ts';
import { findUncollectedJobs, type UncollectedJob } from './uncollected-store.ts';

const MAX_CASES = 100;
const MAX_REQUESTS = 50;

/** `requests` is the number of examined requests. `uncollected` counts the jobs of `uncollected_job`, and what they cost. */
export const verdictSchema = z.strictObject({
  ok: z.boolean(),
  account_id: z.string().nullable(),
  requests: z.int(),
  uncollected: z.strictObject({ jobs: z.int(), credits: z.int() }),
  findings: z.array(
    z.strictObject({
      finding: z.enum(VERDICT_FINDING_NAMES),
      account_id: z.string(),
      message: z.string(),
      remedy: z.string(),
      request_ids: z.array(z.string()),
      delivery_ids: z.array(z.string()),
    }),
  ),
});

export type ClientVerdict = z.infer<typeof verdictSchema>;

interface Case {
  accountId: string;
  message: string;
  requests: string[];
  deliveries?: string[];
}

interface Finding {
  name: FindingName;
  remedy: string;
  find(evidence: VerdictEvidence & { uncollected: readonly UncollectedJob[] }): Case[];
}

type Received = Pick<SuspectDelivery & LostDelivery, 'id' | 'accountId' | 'url' | 'jobId' | 'runId'>;
type Pair = readonly [RequestEvidence, RequestEvidence];

const retried402: Finding = {
  name: 'retried_402',
  remedy:
    'Do not retry a request that returned 402: it cannot succeed until credits are added. Add credits with a top-up first, then send it again.',
  find({ emulator, alike, requests }) {
    const reads = requests.filter(
      ({ method, path, status }) => method === 'GET' && path === '/v1/account' && status === 200,
    );
    // A read of the balance also counts as a reason to send the request again.
    const hasReason = ({ accountId, received }: RequestEvidence, to: number) =>
      wasCredited(emulator.database, accountId, { from: received, to }) ||
      reads.some((each) => each.accountId === accountId && each.received > received && each.received < to);
    return alike.flatMap((group) => {
      const repeated = repetitions(group, ({ status }) => status === 402);
      const pairs = repeated.filter(([first, next]) => isVain(first, next, hasReason));
      return caseOf(pairs, ({ method, path }) => `${method} ${path} returned 402 and was sent again without a top-up.`);
    });
  },
};

function isVain(
  first: RequestEvidence,
  next: RequestEvidence,
  hasReasonSince: (first: RequestEvidence, to: number) => boolean,
): boolean {
  // A 402 from a rule or a directive says nothing about the balance.
  if (first.left === undefined) return !hasReasonSince(first, next.received);
  const after = next.status === 402 ? next.left : undefined;
  return after !== undefined && after <= first.left;
}

const ignoredRetryAfter: Finding = {
  name: 'ignored_retry_after',
  remedy:
    'Read Retry-After of a 429 or 503, and wait that many seconds before the next try. The official clients do this by themselves.',
  find({ alike, requests }) {
    const repeated = alike.map((group) => repetitions(group, isAskedToWait).filter(isTooEarly));
    const known = new Set(repeated.flat(2));
    const declared = declaredRetries(requests).filter((pair) => pair.some((each) => !known.has(each)));
    return [...repeated, ...declared.map((pair) => [pair])].flatMap((pairs) => caseOf(pairs, cameSooner));
  },
};

function isAskedToWait({ retryAfter = 0 }: RequestEvidence): boolean {
  return retryAfter > 0;
}

function cameSooner({ method, path, retryAfter }: RequestEvidence): string {
  return `${method} ${path} was sent again before its Retry-After of ${retryAfter} s had passed.`;
}

const HOUR = 3_600_000;

/**
 * Pairs of a request and its declared retry. A rate limit applies before the body is read, so bodies cannot be compared. A
 * retry counts if every request that it may repeat was told to wait longer.
 */
function declaredRetries(requests: readonly RequestEvidence[]): Pair[] {
  return requests.flatMap((again, at): Pair[] => {
    const { accountId, method, path, began } = again;
    const earlier = earlierTries(requests, at, again)
      .filter((each) => each.accountId === accountId && each.method === method && each.path === path)
      .filter(({ ended }) => began - ended < HOUR);
    const last = earlier.at(-1);
    return last && earlier.every((each) => isAskedToWait(each) && isTooEarly([each, again])) ? [[last, again]] : [];
  });
}

/** Tolerance in milliseconds, because clocks differ between machines and even between cores. */
const TOLERANCE = 50;

/** True if the request was too early by both clocks, because a test may have moved the emulator's clock. */
function isTooEarly([first, next]: Pair): boolean {
  const wanted = (first.retryAfter ?? 0) * 1000 - TOLERANCE;
  const answered = first.received + (first.ended - first.began);
  return next.began - first.ended < wanted && next.received - answered < wanted;
}

/** After this time, in milliseconds, an equal request counts as unrelated. */
const MAX_RETRY_GAP_MS = 600_000;

function repetitions(alike: readonly RequestEvidence[], of: (first: RequestEvidence) => boolean): Pair[] {
  return alike.flatMap((first, at): Pair[] => {
    if (!of(first)) return [];
    let after = at + 1;
    while ((alike[after]?.began ?? Number.POSITIVE_INFINITY) < first.ended) after += 1;
    const next = alike[after];
    return next && next.began - first.ended < MAX_RETRY_GAP_MS ? [[first, next]] : [];
  });
}

const NEAR = 200;

function earlierTries(requests: readonly RequestEvidence[], at: number, again: RequestEvidence): RequestEvidence[] {
  if (again.retryCount === 0) return [];
  return requests
    .slice(Math.max(0, at - NEAR), at)
    .filter(({ ended, retryCount }) => ended <= again.began && retryCount === again.retryCount - 1);
}

function caseOf(pairs: readonly Pair[], says: (first: RequestEvidence) => string): Case[] {
  const [[first] = []] = pairs;
  if (!first) return [];
  const requests = [...new Set(pairs.flat().map(({ id }) => id))];
  return [{ accountId: first.accountId, message: says(first), requests }];
}

/** Operations that return no job, so that a client cannot find a lost result again. */
const ANSWER_ALONE = /^\/v1\/(?:chat\/completions|audio\/speech|audio\/transcriptions)$/;

const paidTwice: Finding = {
  name: 'paid_twice',
  remedy:
    'An order may be done and charged even if its connection ended early. Look for its result first (the job, the library, the webhook), and allow the call more time. Send it again only if there is no result.',
  find({ emulator, alike }) {
    const groups = alike.filter((group) => !isAnswerAlone(group));
    return groups.flatMap((group) =>
      caseOf(
        paidRepetitions(emulator, group),
        ({ path }) => `POST ${path} was sent again before the result of the first was known, and both were charged.`,
      ),
    );
  },
};

const paidAgain: Finding = {
  name: 'paid_again',
  remedy:
    'A chat, speech or transcription makes no job, so a lost result can only be paid for again. Do not retry these calls automatically (maxRetries: 0 with the official client): allow them more time and let the user decide. To accept the cost, use exec --allow paid_again, or an accepted entry in the baseline of check.',
  find({ emulator, alike }) {
    const again = alike.filter(isAnswerAlone).flatMap((group) => paidRepetitions(emulator, group).flat());
    const byAccount = groupBy([...new Set(again)], ({ accountId }) => accountId);
    return [...byAccount].map(([accountId, requests]) => againCase(accountId, requests));
  },
};

function againCase(accountId: string, requests: readonly RequestEvidence[]): Case {
  const sites = [...new Set(requests.map(({ path }) => `POST ${path}`))].sort();
  const message = `Sent again, and charged again, after a lost or late response: ${sites.join(', ')}.`;
  return { accountId, message, requests: requests.toSorted((a, b) => a.began - b.began).map(({ id }) => id) };
}

function isAnswerAlone([first]: readonly RequestEvidence[]): boolean {
  return first !== undefined && ANSWER_ALONE.test(first.path);
}

function paidRepetitions(emulator: VerdictEvidence['emulator'], group: readonly RequestEvidence[]): Pair[] {
  if (!group.some(isDoubtful)) return [];
  const paid = group.filter((each) => each.method === 'POST' && isPaid(emulator, each));
  return [...repetitions(paid, (first) => first.isLost), ...retries(group, new Set(paid))];
}

/** Without a lost response or a declared retry, equal requests count as intentional. */
function isDoubtful({ isLost, retryCount }: RequestEvidence): boolean {
  return isLost || retryCount > 0;
}

function retries(group: readonly RequestEvidence[], paid: ReadonlySet<RequestEvidence>): Pair[] {
  return group.flatMap((again, at): Pair[] => {
    const earlier = paid.has(again) ? earlierTries(group, at, again) : [];
    const last = earlier.at(-1);
    return last && earlier.every((each) => paid.has(each)) ? [[last, again]] : [];
  });
}

function isPaid({ database, random }: VerdictEvidence['emulator'], { accountId, charges }: RequestEvidence): boolean {
  return charges.some((id) => {
    const n = parseIdNumber(random, 'entry', accountId, id);
    return n !== undefined && findRefund(database, accountId, n) === undefined;
  });
}

const MAX_READS = 20;
const WINDOW = 1000;

const polledTooOften: Finding = {
  name: 'polled_too_often',
  remedy: 'Wait at least a second between two reads of a job, and longer each time, or use a webhook.',
  find({ requests }) {
    const reads = requests.filter(({ openJob }) => openJob !== undefined);
    return [...groupBy(reads, ({ openJob = '' }) => openJob)].flatMap(([job, ofJob]) => crowdOf(job, ofJob));
  },
};

/** Sorts the reads, because the journal may not be in their order. */
function crowdOf(job: string, reads: readonly RequestEvidence[]): Case[] {
  const sorted = reads.toSorted((a, b) => a.began - b.began);
  const at = sorted.findIndex((first, nth) => {
    const last = sorted[nth + MAX_READS];
    return last !== undefined && last.began - first.began < WINDOW;
  });
  const first = sorted[at];
  if (!first) return [];
  const crowd = sorted.slice(at).filter(({ began }) => began - first.began < WINDOW);
  const message = `${job} was read ${crowd.length} times within a second, before it was final.`;
  return [{ accountId: first.accountId, message, requests: crowd.map(({ id }) => id) }];
}

const usedExpiredUrl: Finding = {
  name: 'used_expired_url',
  remedy:
    'A result URL is valid for 7 days. Copy the file in that time, read the job again for a new URL, or use "store": true.',
  find({ requests }) {
    const expired = requests.filter(({ path, error }) => path.startsWith('/cdn/') && error === 'url_expired');
    // If a rule let the URL expire early, the client learns it only from the first response.
    const isKnown = ({ path, isFaulted }: RequestEvidence, at: number) =>
      !isFaulted || expired.slice(0, at).some((earlier) => earlier.path === path);
    return expired.filter(isKnown).map(({ id, accountId, path }) => {
      const message = `${path.split('?')[0]} was read after its URL had expired.`;
      return { accountId, message, requests: [id] };
    });
  },
};

const FORGED: Record<string, string> = {
  bad_signature: 'whose signature was false',
  old_timestamp: 'that was ten minutes old',
  forged: 'that was forged',
  replayed: 'that was replayed ten minutes later',
};

const acceptedForgery: Finding = {
  name: 'accepted_forgery',
  remedy:
    'First verify svc-signature over the raw body with the secret of the endpoint, and compare its t with the clock (5 minutes). Return 400 if it is not valid.',
  find(evidence) {
    return evidence.deliveries.flatMap((delivery) => {
      const { url, status, fault } = delivery;
      const how = FORGED[fault ?? ''];
      return how && status === 'delivered' ? received(evidence, delivery, `${url} accepted a delivery ${how}.`) : [];
    });
  },
};

const slowReceiver: Finding = {
  name: 'slow_receiver',
  remedy: 'Return 2xx at once and do the work afterwards. A delivery has 10 seconds and is not sent again.',
  find(evidence) {
    return evidence.deliveries.flatMap((delivery) => {
      const { url, durationMs } = delivery;
      if (durationMs === null || durationMs < SLOW_RECEIVER_MS) return [];
      return received(evidence, delivery, `${url} took ${durationMs} ms to respond to a webhook.`);
    });
  },
};

const lostEvent: Finding = {
  name: 'lost_event',
  remedy:
    'A delivery is not sent again. Return 2xx as soon as the event is stored, and read jobs that are still open from time to time.',
  find(evidence) {
    return evidence.lost.flatMap((delivery) => {
      const { url, jobId, error, responseStatus } = delivery;
      // If the order is not on record, reads of its job may be missing too.
      if (jobId === null || !evidence.starts.has(jobId) || evidence.known.has(jobId)) return [];
      const how = responseStatus === null ? error : `returned ${responseStatus}`;
      const message = `${url} did not accept the event of ${jobId} (${how}), and the job was not read afterwards.`;
      return received(evidence, delivery, message);
    });
  },
};

const uncollectedJob: Finding = {
  name: 'uncollected_job',
  remedy:
    'Read a job until it is final, however long that takes: it stays paid. If you stop waiting, store its id and read it again later, or subscribe to its event.',
  find({ uncollected }) {
    return uncollected.map(({ id, accountId, credits, reads }) => {
      const message = `${id} succeeded and cost ${countWithNoun(credits, 'credit')}, and nobody collected it after its last read.`;
      return { accountId, message, requests: reads };
    });
  },
};

const FINDINGS: readonly Finding[] = [
  retried402,
  ignoredRetryAfter,
  paidTwice,
  polledTooOften,
  usedExpiredUrl,
  acceptedForgery,
  slowReceiver,
  lostEvent,
  uncollectedJob,
  paidAgain,
];

function received(
  { starts }: VerdictEvidence,
  { id, accountId, url, jobId, runId }: Received,
  message: string,
): Case[] {
  // The built-in inbox accepts everything, which is not a mistake of the client.
  if (url.includes('/_emulator/inbox/')) return [];
  const start = starts.get(jobId ?? runId ?? '');
  return [{ accountId, message, requests: start === undefined ? [] : [start], deliveries: [id] }];
}

/** How long after its last read of an open job a client may take to read the end of the job, in milliseconds. */
const QUIET_MS = 1000;

async function quietEvidence(emulator: Context, accountId: string | undefined) {
  const look = async () => {
    const evidence = await gatherEvidence(emulator, accountId);
    return { ...evidence, uncollected: findUncollectedJobs(evidence) };
  };
  const first = await look();
  const left = Math.max(...first.uncollected.map(({ quiet }) => QUIET_MS - quiet));
  if (!(left > 0)) return first;
  await waitRealTime(emulator.clock, left);
  const second = await look();
  return { ...second, uncollected: second.uncollected.filter(({ quiet }) => quiet >= QUIET_MS) };
}

export async function judgeClient(emulator: Context, accountId: string | undefined): Promise<ClientVerdict> {
  const evidence = await quietEvidence(emulator, accountId);
  const { uncollected, requests: examined } = evidence;
  const findings = FINDINGS.flatMap(({ name, remedy, find }) =>
    find(evidence)
      .slice(0, MAX_CASES)
      .map(({ accountId: whose, message, requests, deliveries = [] }) => {
        const request_ids = requests.slice(0, MAX_REQUESTS);
        return { finding: name, account_id: whose, message, remedy, request_ids, delivery_ids: deliveries };
      }),
  );
  return {
    ok: findings.length === 0,
    account_id: accountId ?? null,
    requests: examined.length,
    uncollected: { jobs: uncollected.length, credits: uncollected.reduce((sum, { credits }) => sum + credits, 0) },
    findings,
  };
}
