import { numberOf } from '../../base/database/id-store.ts';
import { findRefund } from '../../engine/ledger/entry-store.ts';
import type { Case, Evidence, Finding, Search, Seen } from './evidence.ts';
import { caseOf, earlierTries, type Pair, repetitions } from './repeated-requests.ts';

/** Operations whose work is in their answer alone: they make no job, and nothing is kept that could be looked for. */
const ANSWER_ALONE = /^\/v1\/(?:chat\/completions|audio\/speech|audio\/transcriptions)$/;

/** The same order came again, and both are paid, because the answer to the first had not come through. */
export const paidTwice: Finding = {
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
export const paidAgain: Finding = {
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
