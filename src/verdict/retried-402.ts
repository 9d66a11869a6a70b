import { wasCredited } from '../ledger/ledger-store.ts';
import type { Seen } from './evidence.ts';
import { caseOf, type Finding, repetitions } from './finding.ts';

/** The same request came again after a 402 although there was no more to pay with than before. */
export const retried402: Finding = {
  name: 'retried_402',
  remedy:
    'Do not send a request again that was answered 402: it cannot succeed before there are more credits. Tell whoever pays, top up, and only then repeat it.',
  find({ emulator, alike }) {
    return alike.flatMap((group) => {
      const pairs = repetitions(group, ({ status }) => status === 402).filter(([first, next]) =>
        isVain(first, next, ({ accountId, received }, to) =>
          wasCredited(emulator.database, accountId, { from: received, to }),
        ),
      );
      return caseOf(
        pairs,
        ({ method, path }) => `${method} ${path} was answered 402 and sent again with no more credits.`,
      );
    });
  },
};

function isVain(first: Seen, next: Seen, wasPaidSince: (first: Seen, to: number) => boolean): boolean {
  // A 402 that a rule or a directive gave says nothing of the balance.
  if (first.left === undefined) return !wasPaidSince(first, next.received);
  const after = next.status === 402 ? next.left : undefined;
  return after !== undefined && after <= first.left;
}
