import type { BalanceRecord } from '../../../control/ledger-control.ts';

/** Times (unix seconds, never backwards) and balances, as a chart draws them. */
export type BalancePoints = [number[], number[]];

/** From the beginning of the range to now; of what happened within one second only what stood after it. */
export function balancePoints(
  { start, data }: BalanceRecord,
  { since, now }: { since: number | undefined; now: number },
): BalancePoints {
  const times = since === undefined ? [] : [since];
  const balances = since === undefined ? [] : [start];
  const add = (time: number, balance: number) => {
    const last = times.at(-1) ?? Number.NEGATIVE_INFINITY;
    // The clock may have been set back.
    if (time > last) times.push(time);
    const at = times.length - 1;
    balances[at] = balance;
  };
  for (const { created, balance } of data) add(created, balance);
  add(now, balances.at(-1) ?? start);
  return [times, balances];
}
