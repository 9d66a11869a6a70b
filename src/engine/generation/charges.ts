import { nextId } from '../../base/database/id-store.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import type { Random } from '../../base/random.ts';
import { balanceOf, type Charge, charge, type Entry, insufficient } from '../ledger/ledger.ts';
import type { ChargeOrder } from './order.ts';

/**
 * One entry per price. Throws `insufficient_credits` if the balance is too low for all of them, and then charges nothing.
 */
export function chargeAll(tx: Transaction, random: Random, order: ChargeOrder): Entry[] {
  return chargesOf(tx, random, order).map((each) => charge(tx, random, each));
}

/** One for each price, with the id of its job. Throws `insufficient_credits` if the balance is too low for all. */
function chargesOf(
  tx: Transaction,
  random: Random,
  { prices, lines, ofJobs, accountId, operation, model, requestId }: ChargeOrder,
): Charge[] {
  requireTotal(tx, prices, accountId);
  return prices.map((amount) => {
    const jobId = ofJobs ? nextId(tx, random, 'job', accountId) : null;
    return { accountId, amount, operation, model, jobId, requestId, lines };
  });
}

/** The error names the price of the whole order. */
function requireTotal(tx: Transaction, prices: readonly number[], accountId: string): void {
  // `ledger.ts` checks a single price.
  if (prices.length < 2) return;
  const total = prices.reduce((sum, price) => sum + price, 0);
  const balance = balanceOf(tx, accountId);
  if (balance < total) throw insufficient(total, balance);
}
