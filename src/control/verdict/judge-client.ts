import { z } from 'zod';
import type { Context } from '../../service/http/context.ts';
import { type Case, gatherEvidence } from './evidence.ts';
import { FINDING_NAMES } from './finding-names.ts';
import { FINDINGS } from './findings.ts';

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

/** Judges the client of one account, or of all, by what is on record. It works in slices: other requests go on. */
export async function judgeClient(emulator: Context, accountId: string | undefined): Promise<Verdict> {
  const evidence = await gatherEvidence(emulator, accountId);
  const findings: Verdict['findings'] = [];
  for (const { name, remedy, find } of FINDINGS) {
    for (const { accountId: whose, message, requests, deliveries = [] } of firstCases(find(evidence))) {
      const request_ids = requests.slice(0, MOST_REQUESTS);
      findings.push({ finding: name, account_id: whose, message, remedy, request_ids, delivery_ids: deliveries });
    }
  }
  return { ok: findings.length === 0, account_id: accountId ?? null, requests: evidence.requests.length, findings };
}

function firstCases(found: Iterable<Case | undefined>): Case[] {
  const cases: Case[] = [];
  for (const each of found) {
    if (each) cases.push(each);
    if (cases.length === MOST_CASES) break;
  }
  return cases;
}
