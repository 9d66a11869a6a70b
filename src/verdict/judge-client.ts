import { setImmediate as turn } from 'node:timers/promises';
import { z } from 'zod';
import type { Context } from '../http/context.ts';
import { acceptedForgery } from './accepted-forgery.ts';
import { gatherEvidence } from './evidence.ts';
import type { Finding } from './finding.ts';
import { FINDING_NAMES } from './finding-names.ts';
import { ignoredRetryAfter } from './ignored-retry-after.ts';
import { lostEvent } from './lost-event.ts';
import { paidAgain, paidTwice } from './paid-twice.ts';
import { polledTooOften } from './polled-too-often.ts';
import { retried402 } from './retried-402.ts';
import { slowReceiver } from './slow-receiver.ts';
import { usedExpiredUrl } from './used-expired-url.ts';

/** What is looked for. Each says only what a server can know. */
const FINDINGS: readonly Finding[] = [
  retried402,
  ignoredRetryAfter,
  paidTwice,
  polledTooOften,
  usedExpiredUrl,
  acceptedForgery,
  slowReceiver,
  lostEvent,
  paidAgain,
];

/** How many cases of one kind are listed, and how many requests of one case. */
const MOST_CASES = 100;
const MOST_REQUESTS = 50;

/** What a client did wrong, each with the requests that show it and what to do. `requests` were looked at. */
export const verdictRecord = z.strictObject({
  ok: z.boolean(),
  account_id: z.string().nullable(),
  requests: z.int(),
  findings: z.array(
    z.strictObject({
      finding: z.enum(FINDING_NAMES),
      account_id: z.string(),
      message: z.string(),
      remedy: z.string(),
      request_ids: z.array(z.string()),
      delivery_ids: z.array(z.string()),
    }),
  ),
});

export type Verdict = z.infer<typeof verdictRecord>;

/** Judges the client of one account, or of all, by what is on record; between two kinds of findings others go on. */
export async function judgeClient(emulator: Context, accountId: string | undefined): Promise<Verdict> {
  const evidence = await gatherEvidence(emulator, accountId);
  const findings: Verdict['findings'] = [];
  for (const { name, remedy, find } of FINDINGS) {
    for (const { accountId: whose, message, requests, deliveries = [] } of find(evidence).slice(0, MOST_CASES)) {
      const request_ids = requests.slice(0, MOST_REQUESTS);
      findings.push({ finding: name, account_id: whose, message, remedy, request_ids, delivery_ids: deliveries });
    }
    await turn();
  }
  return { ok: findings.length === 0, account_id: accountId ?? null, requests: evidence.requests.length, findings };
}
