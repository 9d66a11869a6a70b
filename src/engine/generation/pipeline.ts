import type { Clock } from '../../base/clock/clock.ts';
import type { Config } from '../../base/config/config.ts';
import type { Database } from '../../base/database/database.ts';
import { nextId } from '../../base/database/id-store.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import type { Random } from '../../base/random.ts';
import { type Catalogue, price, STORE } from '../catalogue/catalogue.ts';
import { type CrashHook, injectedStatus } from '../faults/applied-fault.ts';
import type { NewJob } from '../jobs/job.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { balanceOf, type Charge, charge, type Entry, insufficient, refundInFull } from '../ledger/ledger.ts';
import type { Violations } from '../violations.ts';
import type { CompletionWriter } from './completion-writer.ts';
import type { ContentPolicy } from './content-policy.ts';
import type { Charged, ChargeOrder, PaidOrder, PaidResult, PayingCall, Usage } from './order.ts';
import type { Songwriter } from './songwriter/songwriter.ts';
import type { UnansweredCalls } from './unanswered-store.ts';

/**
 * Every paid operation: validate, price, charge, work, settle, publish. Work either runs in the transaction of the charge
 * (`instantWork`), or is a job that renders a file and is settled later (`queuedWork`, `awaitedWork`).
 */
export class Pipeline {
  readonly #database: Database;
  readonly #charges: Charges;

  constructor(parts: { database: Database; charges: Charges }) {
    this.#database = parts.database;
    this.#charges = parts.charges;
  }

  /**
   * Throws `content_blocked` or an injected status before any charge, `insufficient_credits` if the balance is too low for
   * the whole order, and `storage_full`. Then no work has started.
   */
  async run<Started, Result>(order: PaidOrder<Started, Result>, payer: PayingCall): Promise<PaidResult<Result>> {
    const bill = billOf(order, payer);
    const { status } = order.directives;
    if (status !== undefined) throw injectedStatus(status);
    if (order.refusal) {
      await this.#charges.refuse(bill);
      throw order.refusal;
    }
    const { started, charges } = await this.#database.transact((tx) => {
      const charges = this.#charges.charge(tx, bill);
      const started = order.work.begin(tx, charges);
      payer.onStarted?.(tx, { charges, instant: order.work.instant?.(started) });
      return { started, charges };
    });
    payer.onCharged?.(charges);
    const result = await order.work.finish(started);
    const usage = usageOf(charges);
    payer.onPaid?.(usage.credits_spent);
    return { result, usage };
  }
}

function billOf<Started, Result>(
  order: PaidOrder<Started, Result>,
  { caller, requestId = null }: PayingCall,
): ChargeOrder {
  const { operation, model, lines, charges = 1, work } = order;
  const prices = Array.from({ length: charges }, () => price(lines));
  const stored = price(lines.filter((line) => line.for === STORE));
  const { accountId } = caller;
  return { accountId, operation, model, prices, lines, stored, requestId, ofJobs: work.jobs === true };
}

function usageOf(charges: readonly Entry[]): Usage {
  const spent = charges.reduce((total, entry) => total - entry.amount, 0);
  return { credits_spent: spent, credits_remaining: charges.at(-1)?.balance ?? 0 };
}

/** All ledger entries of the pipeline and of jobs. */
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
  charge(tx: Transaction, bill: ChargeOrder): Entry[] {
    const random = this.#random;
    const other = this.#violations.active?.charges.charge(tx, bill);
    return other ?? chargeEach(tx, random, bill, (order) => charge(tx, random, order));
  }

  refund(tx: Transaction, charged: Charged, job?: NewJob): void {
    if (this.#violations.active?.charges.refund(tx, charged, job)) return;
    refundInFull(tx, this.#random, charged);
  }

  keep(tx: Transaction, charged: Charged, take?: number | null): void {
    this.#violations.active?.charges.keep(tx, charged, take);
  }

  async refuse(bill: ChargeOrder): Promise<void> {
    await this.#violations.active?.charges.refuse(bill);
  }

  refundRefused(tx: Transaction, charges: readonly Entry[]): void {
    if (this.#violations.active?.charges.keepsRefused(tx, charges)) return;
    for (const charged of charges) refundInFull(tx, this.#random, charged);
  }
}

/**
 * Calls `write` for each price, with the id of its job. Throws `insufficient_credits` first, if the balance is too low for
 * all.
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

/** The error names the price of the whole order. */
function requireTotal(tx: Transaction, prices: readonly number[], accountId: string): void {
  if (prices.length < 2) return;
  const total = prices.reduce((sum, price) => sum + price, 0);
  const balance = balanceOf(tx, accountId);
  if (balance < total) throw insufficient(total, balance);
}

export interface Generation {
  readonly clock: Clock;
  readonly mediaSize: Config['mediaSize'];
  readonly catalogue: Catalogue;
  readonly pipeline: Pipeline;
  readonly charges: Charges;
  readonly jobs: Jobs;
  readonly unanswered: UnansweredCalls;
  readonly policy: ContentPolicy;
  readonly completions: CompletionWriter;
  readonly songwriter: Songwriter;
  /** Undefined without a supervisor. */
  readonly crashHook: CrashHook | undefined;
}
