import type { Subsystems } from '../subsystems.ts';
import { acceptedForgery } from './accepted-forgery.ts';
import { gatherEvidence } from './evidence.ts';
import type { Finding } from './finding.ts';
import { ignoredRetryAfter } from './ignored-retry-after.ts';
import { paidTwice } from './paid-twice.ts';
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
];

/** How many cases of one kind are told, and how many requests of one case. */
const MOST_CASES = 100;
const MOST_REQUESTS = 50;

/** What a client did wrong, each with the requests that show it and what to do. */
export interface Verdict {
  ok: boolean;
  account_id: string | null;
  /** How many requests were looked at. */
  requests: number;
  findings: {
    finding: string;
    account_id: string;
    message: string;
    remedy: string;
    request_ids: string[];
    delivery_ids: string[];
  }[];
}

/** Judges the client of one account, or of all, by what is on record. */
export async function judgeClient(emulator: Subsystems, accountId: string | undefined): Promise<Verdict> {
  const evidence = await gatherEvidence(emulator, accountId);
  const findings = FINDINGS.flatMap(({ name, remedy, find }) =>
    find(evidence)
      .slice(0, MOST_CASES)
      .map(({ accountId: whose, message, requests, deliveries = [] }) => ({
        ...{ finding: name, account_id: whose, message, remedy },
        request_ids: requests.slice(0, MOST_REQUESTS),
        delivery_ids: deliveries,
      })),
  );
  return {
    ...{ ok: findings.length === 0, account_id: accountId ?? null },
    ...{ requests: evidence.requests.length, findings },
  };
}
