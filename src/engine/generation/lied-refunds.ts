import type { Transaction } from '../../base/database/transaction.ts';
import type { ActiveLie } from '../faults/lies/active-lie.ts';
import type { Lies } from '../faults/lies/lies.ts';
import type { NewJob } from '../jobs/job.ts';
import { findSiblingTake } from '../jobs/job-store.ts';
import { findEntry, findTwin } from '../ledger/entry-store.ts';
import { balanceOf, charge, type Entry, refund, refundAs } from '../ledger/ledger.ts';
import { entryName, keep, type MoneyParts, type Movement, occasionOf } from './lied-money.ts';

const REFUND_LIES = ['refund.none', 'refund.one_of_two', 'refund.short', 'refund.twice'];

/** Refunds work that failed, or does with it what a lie says. What was not charged is not refunded. */
export function giveBack(parts: MoneyParts, tx: Transaction, of: Pick<Entry, 'accountId' | 'n'>, job?: NewJob): void {
  const { random, lies } = parts;
  const paid = findEntry(tx, of.accountId, of.n);
  const lie = lies.isOn && paid && paid.amount !== 0 ? actingOnRefund(lies, tx, paid, job) : undefined;
  if (!lie || !paid) {
    giveBackAll(parts, tx, of);
    return;
  }
  const amount = -paid.amount;
  if (lie.lie === 'refund.short') refundAs(tx, random, paid, { amount: amount - 1, lie: lie.lie });
  if (lie.lie === 'refund.twice') {
    refund(tx, random, of);
    refundAs(tx, random, paid, { amount, lie: lie.lie });
  }
  const occasion = occasionOf({ ...paid, take: job?.take ?? null });
  const detail = `${lie.lie} of ${entryName(paid)}`;
  keep(parts, tx, { lie, occasion, ref: paid.jobId ?? entryName(paid), detail });
}

/** Refunds what was charged: of a charge that a lie made twice both, of one of nothing nothing. */
export function giveBackAll({ random }: MoneyParts, tx: Transaction, of: Pick<Entry, 'accountId' | 'n'>): void {
  if (findEntry(tx, of.accountId, of.n)?.amount === 0) return;
  refund(tx, random, of);
  const twin = findTwin(tx, of.accountId, of.n);
  if (twin) refundAs(tx, random, twin, { amount: -twin.amount, lie: 'charge.twice' });
}

function actingOnRefund(
  lies: Lies,
  tx: Transaction,
  paid: Omit<Entry, 'id'>,
  job: NewJob | undefined,
): ActiveLie | undefined {
  const occasion = occasionOf({ ...paid, take: job?.take ?? null });
  const can: Record<string, () => boolean> = {
    'refund.one_of_two': () => job?.take === 2 && failsToo(tx, job),
    'refund.short': () => paid.amount <= -2,
  };
  return REFUND_LIES.map((name) => ((can[name]?.() ?? true) ? lies.acting(name, occasion) : undefined)).find(Boolean);
}

/** Whether the other take of a song has failed, or is to. */
function failsToo(tx: Transaction, job: NewJob): boolean {
  const other = findSiblingTake(tx, job);
  return other !== undefined && (other.status === 'failed' || (other.completed === null && other.doomed !== null));
}

/** The lie that has a user charged for an order that is refused for its content. */
export function chargedRefusal({ lies }: MoneyParts, order: Movement): ActiveLie | undefined {
  return lies.isOn ? lies.acting('charge.blocked', occasionOf(order)) : undefined;
}

/** Charges an order that is refused, where the balance has as much. */
export function chargeRefused(parts: MoneyParts, tx: Transaction, order: Movement, prices: readonly number[]): void {
  const total = prices.reduce((sum, price) => sum + price, 0);
  if (balanceOf(tx, order.accountId) < total) return;
  const lie = chargedRefusal(parts, order);
  if (!lie) return;
  const { accountId, model } = order;
  const operation = order.operation ?? '';
  for (const amount of prices) {
    const entry = charge(tx, parts.random, { accountId, amount, operation, model, jobId: null, lie: lie.lie });
    keep(parts, tx, { lie, occasion: occasionOf(order), ref: entryName(entry), detail: 'a refused order was charged' });
  }
}

/** Leaves the charge of an order that is refused after it, where a lie says so. */
export function keepsRefused(parts: MoneyParts, tx: Transaction, charges: readonly Entry[]): boolean {
  const [first] = charges;
  const lie = first && chargedRefusal(parts, first);
  if (!lie) return false;
  for (const entry of charges) {
    keep(parts, tx, { lie, occasion: occasionOf(first), ref: entryName(entry), detail: 'a refused order was charged' });
  }
  return true;
}
