import { nextId } from '../../base/database/id-store.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import type { Random } from '../../base/random.ts';
import type { NewJob } from '../jobs/job.ts';
import { balanceOf, type Charge, charge, type Entry, insufficient, refundInFull } from '../ledger/ledger.ts';
import { NO_VIOLATIONS, type Violations } from '../violations.ts';
import type { Charged, ChargeOrder } from './order.ts';

/** How paid work moves money: all that the pipeline and the ends of jobs write to the ledger. */
export class Charges {
  readonly #random: Random;
  readonly #violations: Violations;

  constructor({ random, violations = NO_VIOLATIONS }: { random: Random; violations?: Violations }) {
    this.#random = random;
    this.#violations = violations;
  }

  /** One entry for each price. Throws `insufficient_credits`, charging nothing, if the balance is short of the whole. */
  charge(tx: Transaction, bill: ChargeOrder): Entry[] {
    const random = this.#random;
    const other = this.#violations.isOn ? this.#violations.money.charge(tx, bill) : undefined;
    return other ?? chargeEach(tx, random, bill, (order) => charge(tx, random, order));
  }

  /** Refunds what failed: a job, or work that has none. */
  refund(tx: Transaction, charged: Charged, job?: NewJob): void {
    if (this.#violations.isOn && this.#violations.money.refund(tx, charged, job)) return;
    refundInFull(tx, this.#random, charged);
  }

  /** What succeeded keeps its charge; `take` is that of a song. */
  keep(tx: Transaction, charged: Charged, take?: number | null): void {
    if (this.#violations.isOn) this.#violations.money.keep(tx, charged, take);
  }

  /** An order that is refused before its charge is not charged. */
  async refuse(bill: ChargeOrder): Promise<void> {
    if (this.#violations.isOn) await this.#violations.money.refuse(bill);
  }

  /** An order that is refused after its charge gets all of it back. */
  refundRefused(tx: Transaction, charges: readonly Entry[]): void {
    if (this.#violations.isOn && this.#violations.money.keepsRefused(tx, charges)) return;
    for (const charged of charges) refundInFull(tx, this.#random, charged);
  }
}

/**
 * Calls `write` for each price of an order, with the id of the job if the charges are for jobs. Throws
 * `insufficient_credits` before the first one, if the balance is short of the whole.
 */
export function chargeEach(
  tx: Transaction,
  random: Random,
  { prices, lines, ofJobs, accountId, operation, model, requestId }: ChargeOrder,
  write: (order: Charge) => Entry,
): Entry[] {
  requireTotal(tx, prices, accountId);
  return prices.map((amount) => {
    const jobId = ofJobs ? nextId(tx, random, 'job', accountId) : null;
    return write({ accountId, amount, operation, model, jobId, requestId, lines });
  });
}

/** An order of several takes starts as a whole or not at all: its error names the price of the whole. */
function requireTotal(tx: Transaction, prices: readonly number[], accountId: string): void {
  if (prices.length < 2) return;
  const total = prices.reduce((sum, price) => sum + price, 0);
  const balance = balanceOf(tx, accountId);
  if (balance < total) throw insufficient(total, balance);
}
