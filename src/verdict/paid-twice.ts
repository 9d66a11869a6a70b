import { numberOf } from '../ids.ts';
import { findRefund } from '../ledger/ledger-store.ts';
import type { Evidence, Seen } from './evidence.ts';
import { caseOf, earlierTries, type Finding, repetitions } from './finding.ts';

/** The same order was placed again, and both are paid, because the answer to the first had not come through. */
export const paidTwice: Finding = {
  name: 'paid_twice',
  remedy:
    'A connection that ends early has no bearing on the order: it may be done and paid. Look for its result first (the job, the library, the webhook), give the call more time, and repeat it only when nothing was made.',
  find({ emulator, alike }) {
    return alike.flatMap((group) => {
      if (!group.some(isDoubtful)) return [];
      const paid = group.filter((each) => each.method === 'POST' && isPaid(emulator, each));
      const pairs = repetitions(paid, (first) => first.isLost);
      return caseOf(
        [...pairs, ...retries(group, paid)],
        ({ path }) => `POST ${path} was sent again without knowing what had become of the first, and both were paid.`,
      );
    });
  },
};

/** Its answer may have been lost, or it is sent again by its own word: what else is alike is so by intent. */
function isDoubtful({ isLost, retryCount }: Seen): boolean {
  return isLost || retryCount > 0;
}

/** Where the client says of itself that it tries again, and every request that it could have tried before is paid. */
function retries(group: readonly Seen[], paid: readonly Seen[]): [Seen, Seen][] {
  const isPaidFor = new Set(paid);
  return group.flatMap((again, at): [Seen, Seen][] => {
    if (again.retryCount === 0 || !isPaidFor.has(again)) return [];
    const earlier = earlierTries(group, at, again);
    const last = earlier.at(-1);
    return last && earlier.every((each) => isPaidFor.has(each)) ? [[last, again]] : [];
  });
}

function isPaid({ database, random }: Evidence['emulator'], { accountId, charges }: Seen): boolean {
  return charges.some((id) => {
    const n = numberOf(random, 'entry', accountId, id);
    return n !== undefined && findRefund(database, accountId, n) === undefined;
  });
}
