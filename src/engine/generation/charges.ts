import { nextId } from '../../base/database/id-store.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import type { Random } from '../../base/random.ts';
import type { NewJob } from '../jobs/job.ts';
import {
  balanceOf,
  type Charge,
  type Charged,
  charge,
  type Entry,
  insufficient,
  refundInFull,
} from '../ledger/ledger.ts';
import type { Violations } from '../violations.ts';
import type { ChargeOrder } from './order.ts';

/** The charges and refunds of the pipeline and of jobs, which violations may change. */
export class Charges {
  readonly #random: Random;
  readonly #violations: Violations;

  constructor({ random, violations }: { random: Random; violations: Violations }) {
    this.#random = random;
    this.#violations = violations;
  }

  /**
   * One entry per price. Throws `insufficient_credits` if the balance is too low for all of them, and then charges nothing.
   */
  charge(tx: Transaction, order: ChargeOrder): Entry[] {
    const violated = this.#violations.active?.charges.charge(tx, order);
    return violated ?? chargesOf(tx, this.#random, order).map((each) => charge(tx, this.#random, each));
  }

  refund(tx: Transaction, charged: Charged, job?: NewJob): void {
    if (this.#violations.active?.charges.refund(tx, charged, job)) return;
    refundInFull(tx, this.#random, charged);
  }

  onSuccess(tx: Transaction, charged: Charged, take?: number | null): void {
    this.#violations.active?.charges.onSuccess(tx, charged, take);
  }

  async refuse(order: ChargeOrder): Promise<void> {
    await this.#violations.active?.charges.refuse(order);
  }

  refundRefused(tx: Transaction, charges: readonly Entry[]): void {
    if (this.#violations.active?.charges.keepsRefused(tx, charges)) return;
    for (const charged of charges) refundInFull(tx, this.#random, charged);
  }
}

/** One for each price, with the id of its job. Throws `insufficient_credits` if the balance is too low for all. */
export function chargesOf(
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
