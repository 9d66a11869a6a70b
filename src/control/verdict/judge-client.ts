import { z } from 'zod';
import { waitRealTime } from '../../base/clock/clock.ts';
import { parseIdNumber } from '../../base/database/id-store.ts';
import { countWithNoun, groupBy } from '../../base/text.ts';
import { findRefund, hadRefundOrTopUp } from '../../engine/ledger/entry-store.ts';
import type { LostDelivery, SuspectDelivery } from '../../engine/webhooks/webhook-list-store.ts';
import type { Context } from '../../service/http/context.ts';
import { gatherEvidence, type RequestEvidence, SLOW_RECEIVER_MS, type VerdictEvidence } from './evidence.ts';
import { type FindingName, VERDICT_FINDING_NAMES } from './finding-names.ts';

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
  remedy: string;
  find(evidence: VerdictEvidence): Case[];
}

type Pair = readonly [RequestEvidence, RequestEvidence];

const FINDINGS: Record<FindingName, Finding> = {
  retried_402: {
    remedy:
      'Do not retry a request that returned 402: it cannot succeed until credits are added. Add credits with a top-up first, then send it again.',
    find({ emulator, alike, requests }) {
      const reads = requests.filter(
        ({ method, path, status }) => method === 'GET' && path === '/v1/account' && status === 200,
      );
      // A read of the balance also counts as a reason to send the request again.
      const hasReason = ([{ accountId, received, began }, next]: Pair) =>
        hadRefundOrTopUp(emulator.database, accountId, { from: received, to: next.received }) ||
        reads.some((each) => each.accountId === accountId && each.began >= began && each.began <= next.began);
      const isVain = (pair: Pair) => {
        const [first, next] = pair;
        // A 402 from a rule or a directive says nothing about the balance.
        if (first.left === undefined) return !hasReason(pair);
        return next.status === 402 && next.left !== undefined && next.left <= first.left;
      };
      const vain = alike.map((group) => repetitions(group, ({ status }) => status === 402).filter(isVain));
      return casesOf(vain, ({ method, path }) => `${method} ${path} returned 402 and was sent again without a top-up.`);
    },
  },
  ignored_retry_after: {
    remedy:
      'Read Retry-After of a 429 or 503, and wait that many seconds before the next try. The official clients do this by themselves.',
    find({ alike, requests }) {
      const repeated = alike.map((group) => repetitions(group, isAskedToWait).filter(isTooEarly));
      const known = new Set(repeated.flat(2));
      // A rate limit applies before the body is read. Without bodies to compare, a repetition is a declared retry.
      const declared = declaredRetries(requests, (pair) => isAskedToWait(pair[0]) && isTooEarly(pair));
      const others = declared.filter((pair) => pair.some((each) => !known.has(each)));
      return casesOf(
        [...repeated, ...others.map((pair) => [pair])],
        ({ method, path, retry_after }) =>
          `${method} ${path} was sent again before its Retry-After of ${retry_after} s had passed.`,
      );
    },
  },
  paid_twice: {
    remedy:
      'An order may be done and charged even if its connection ended early. Look for its result first (the job, the library, the webhook), and allow the call more time. Send it again only if there is no result.',
    find({ emulator, alike }) {
      const groups = alike.filter((group) => !isAnswerAlone(group));
      return casesOf(
        groups.map((group) => paidRepetitions(emulator, group)),
        ({ path }) => `POST ${path} was sent again before the result of the first was known, and both were charged.`,
      );
    },
  },
  polled_too_often: {
    remedy: 'Wait at least a second between two reads of a job, and longer each time, or use a webhook.',
    find({ requests }) {
      const reads = requests.filter(({ openJob }) => openJob !== undefined);
      return [...groupBy(reads, ({ openJob = '' }) => openJob)].flatMap(([job, ofJob]) => crowdOf(job, ofJob));
    },
  },
  used_expired_url: {
    remedy:
      'A result URL is valid for 7 days. Copy the file in that time, read the job again for a new URL, or use "store": true.',
    find({ requests }) {
      const expired = requests.filter(({ path, error }) => path.startsWith('/cdn/') && error === 'url_expired');
      // If a rule let the URL expire early, the client learns it only from the first response.
      const isKnown = ({ path, fault }: RequestEvidence, at: number) =>
        fault === undefined || expired.slice(0, at).some((earlier) => earlier.path === path);
      return expired.filter(isKnown).map(({ id, accountId, path }) => {
        const message = `${path.split('?')[0]} was read after its URL had expired.`;
        return { accountId, message, requests: [id] };
      });
    },
  },
  accepted_forgery: {
    remedy:
      'First verify svc-signature over the raw body with the secret of the endpoint, and compare its t with the clock (5 minutes). Return 400 if it is not valid.',
    find(evidence) {
      return receiverCases(evidence, evidence.deliveries, ({ url, status, fault }) => {
        const how = FORGED[fault ?? ''];
        return how && status === 'delivered' ? `${url} accepted a delivery ${how}.` : undefined;
      });
    },
  },
  slow_receiver: {
    remedy: 'Return 2xx at once and do the work afterwards. A delivery has 10 seconds and is not sent again.',
    find(evidence) {
      return receiverCases(evidence, evidence.deliveries, ({ url, durationMs }) => {
        if (durationMs === null || durationMs < SLOW_RECEIVER_MS) return undefined;
        return `${url} took ${durationMs} ms to respond to a webhook.`;
      });
    },
  },
  lost_event: {
    remedy:
      'A delivery is not sent again. Return 2xx as soon as the event is stored, and read jobs that are still open from time to time.',
    find(evidence) {
      return receiverCases(evidence, evidence.lost, ({ url, jobId, error, responseStatus }) => {
        // If the order is not on record, reads of its job may be missing too.
        if (jobId === null || !evidence.starts.has(jobId) || evidence.known.has(jobId)) return undefined;
        const how = responseStatus === null ? error : `returned ${responseStatus}`;
        return `${url} did not accept the event of ${jobId} (${how}), and the job was not read afterwards.`;
      });
    },
  },
  uncollected_job: {
    remedy:
      'Read a job until it is final, however long that takes: it stays paid. If you stop waiting, store its id and read it again later, or subscribe to its event.',
    find({ uncollected }) {
      return uncollected.map(({ id, accountId, credits, reads }) => {
        const message = `${id} succeeded and cost ${countWithNoun(credits, 'credit')}, and nobody collected it after its last read.`;
        return { accountId, message, requests: reads };
      });
    },
  },
  paid_again: {
    remedy:
      'A chat, speech or transcription makes no job, so a lost result can only be paid for again. Do not retry these calls automatically (maxRetries: 0 with the official client): allow them more time and let the user decide. To accept the cost, use exec --allow paid_again, or an accepted entry in the baseline of check.',
    find({ emulator, alike }) {
      const again = alike.filter(isAnswerAlone).flatMap((group) => paidRepetitions(emulator, group).flat());
      const byAccount = groupBy([...new Set(again)], ({ accountId }) => accountId);
      return [...byAccount].map(([accountId, group]) => {
        const sites = [...new Set(group.map(({ path }) => `POST ${path}`))].sort();
        const message = `Sent again, and charged again, after a lost or late response: ${sites.join(', ')}.`;
        return { accountId, message, requests: group.toSorted((a, b) => a.began - b.began).map(({ id }) => id) };
      });
    },
  },
};

function isAskedToWait({ retry_after = 0 }: RequestEvidence): boolean {
  return retry_after > 0;
}

/** Tolerance in milliseconds, because clocks differ between machines and even between cores. */
const TOLERANCE = 50;

/** True if the request was too early by both clocks, because a test may have moved the emulator's clock. */
function isTooEarly([first, next]: Pair): boolean {
  const wanted = (first.retry_after ?? 0) * 1000 - TOLERANCE;
  const answered = first.received + (first.ended - first.began);
  return next.began - first.ended < wanted && next.received - answered < wanted;
}

/** After this time, in milliseconds, an equal request that is not a declared retry counts as unrelated. */
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
const HOUR = 3_600_000;

/**
 * Pairs each request that the client declares as a retry (`retry_count`) with the last of the requests that it may
 * repeat, if `counts` is true for each of them.
 */
function declaredRetries(requests: readonly RequestEvidence[], counts: (pair: Pair) => boolean): Pair[] {
  return requests.flatMap((again, at): Pair[] => {
    const { accountId, method, path, began, retry_count } = again;
    if (retry_count === 0) return [];
    const earlier = requests
      .slice(Math.max(0, at - NEAR), at)
      .filter((each) => each.accountId === accountId && each.method === method && each.path === path)
      .filter((each) => each.retry_count === retry_count - 1)
      .filter(({ ended }) => ended <= began && began - ended < HOUR);
    const last = earlier.at(-1);
    return last && earlier.every((each) => counts([each, again])) ? [[last, again]] : [];
  });
}

/** A case for each group that has a pair. */
function casesOf(groups: readonly (readonly Pair[])[], says: (first: RequestEvidence) => string): Case[] {
  return groups.flatMap((pairs) => {
    const [[first] = []] = pairs;
    const requests = [...new Set(pairs.flat().map(({ id }) => id))];
    return first ? [{ accountId: first.accountId, message: says(first), requests }] : [];
  });
}

/** Operations that return no job, so that a client cannot find a lost result again. */
const ANSWER_ALONE = /^\/v1\/(?:chat\/completions|audio\/speech|audio\/transcriptions)$/;

function isAnswerAlone([first]: readonly RequestEvidence[]): boolean {
  return first !== undefined && ANSWER_ALONE.test(first.path);
}

function paidRepetitions(emulator: VerdictEvidence['emulator'], group: readonly RequestEvidence[]): Pair[] {
  // Without a lost response or a declared retry, equal requests count as intentional.
  if (!group.some(({ isLost, retry_count }) => isLost || retry_count > 0)) return [];
  const paid = new Set(group.filter((each) => each.method === 'POST' && isPaid(emulator, each)));
  const declared = declaredRetries(group, (pair) => pair.every((each) => paid.has(each)));
  return [...repetitions([...paid], ({ isLost }) => isLost), ...declared];
}

function isPaid({ database, random }: VerdictEvidence['emulator'], { accountId, charges }: RequestEvidence): boolean {
  return charges.some((id) => {
    const n = parseIdNumber(random, 'entry', accountId, id);
    return n !== undefined && findRefund(database, accountId, n) === undefined;
  });
}

const MAX_READS = 20;
const WINDOW = 1000;

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

const FORGED: Record<string, string> = {
  bad_signature: 'whose signature was false',
  old_timestamp: 'that was ten minutes old',
  forged: 'that was forged',
  replayed: 'that was replayed ten minutes later',
};

function receiverCases<Delivery extends SuspectDelivery | LostDelivery>(
  { starts }: VerdictEvidence,
  deliveries: readonly Delivery[],
  says: (delivery: Delivery) => string | undefined,
): Case[] {
  return deliveries.flatMap((delivery) => {
    const { id, accountId, url, jobId, runId } = delivery;
    const message = says(delivery);
    // Does not judge the built-in inbox, which is not a receiver of the client.
    if (message === undefined || url.includes('/_emulator/inbox/')) return [];
    const start = starts.get(jobId ?? runId ?? '');
    return [{ accountId, message, requests: start === undefined ? [] : [start], deliveries: [id] }];
  });
}

/** How long after its last read of an open job a client may take to read the end of the job, in milliseconds. */
const QUIET_MS = 1000;

async function quietEvidence(emulator: Context, accountId: string | undefined) {
  const first = await gatherEvidence(emulator, accountId);
  const left = Math.max(...first.uncollected.map(({ quiet }) => QUIET_MS - quiet));
  if (!(left > 0)) return first;
  await waitRealTime(emulator.clock, left);
  const second = await gatherEvidence(emulator, accountId);
  return { ...second, uncollected: second.uncollected.filter(({ quiet }) => quiet >= QUIET_MS) };
}

export async function judgeClient(emulator: Context, accountId: string | undefined): Promise<ClientVerdict> {
  const evidence = await quietEvidence(emulator, accountId);
  const { uncollected, requests: examined } = evidence;
  const findings = VERDICT_FINDING_NAMES.flatMap((finding) => {
    const { remedy, find } = FINDINGS[finding];
    return find(evidence)
      .slice(0, MAX_CASES)
      .map(({ accountId: whose, message, requests, deliveries = [] }) => {
        const request_ids = requests.slice(0, MAX_REQUESTS);
        return { finding, account_id: whose, message, remedy, request_ids, delivery_ids: deliveries };
      });
  });
  return {
    ok: findings.length === 0,
    account_id: accountId ?? null,
    requests: examined.length,
    uncollected: { jobs: uncollected.length, credits: uncollected.reduce((sum, { credits }) => sum + credits, 0) },
    findings,
  };
}
