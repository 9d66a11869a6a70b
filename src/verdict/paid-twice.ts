import { numberOf } from '../ids.ts';
import { findRefund } from '../ledger/ledger-store.ts';
import type { Evidence, Seen } from './evidence.ts';
import { caseOf, type Finding, repetitions } from './finding.ts';

/** The same order was placed again, and both are paid, because the answer to the first had not come through. */
export const paidTwice: Finding = {
  name: 'paid_twice',
  remedy:
    'A connection that ends early has no bearing on the order: it may be done and paid. Look for its result first (the job, the library, the webhook), give the call more time, and repeat it only when nothing was made.',
  find({ emulator, alike }) {
    return alike.flatMap((group) => {
      const paid = group.filter((each) => each.method === 'POST' && isPaid(emulator, each));
      if (paid.length < 2) return [];
      const pairs = repetitions(paid, (first) => first.isLost);
      return caseOf(
        [...pairs, ...retries(group, paid)],
        ({ path }) => `POST ${path} was sent again without knowing what had become of the first, and both were paid.`,
      );
    });
  },
};

/** Where the client says of itself that it tries again, and every request that it could have tried before is paid. */
function retries(group: readonly Seen[], paid: readonly Seen[]): [Seen, Seen][] {
  return paid.flatMap((again): [Seen, Seen][] => {
    if (again.retryCount === 0) return [];
    const earlier = group.filter(
      ({ ended, retryCount }) => ended <= again.began && retryCount === again.retryCount - 1,
    );
    const last = earlier.at(-1);
    return last && earlier.every((each) => paid.includes(each)) ? [[last, again]] : [];
  });
}

function isPaid({ database, random }: Evidence['emulator'], { accountId, charges }: Seen): boolean {
  return charges.some((id) => {
    const n = numberOf(random, 'entry', accountId, id);
    return n !== undefined && findRefund(database, accountId, n) === undefined;
  });
}
