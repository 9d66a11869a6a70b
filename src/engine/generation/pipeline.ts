import type { Clock } from '../../base/clock/clock.ts';
import type { Config } from '../../base/config/config.ts';
import type { Database } from '../../base/database/database.ts';
import { nextId } from '../../base/database/id-store.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import type { Random } from '../../base/random.ts';
import { type Catalogue, type PriceLine, price, STORE } from '../catalogue/catalogue.ts';
import { type CrashHook, injectedStatus } from '../faults/applied-fault.ts';
import type { Directives } from '../faults/directives.ts';
import type { PaidOperation } from '../faults/paid-work.ts';
import type { NewJob } from '../jobs/job.ts';
import type { Jobs } from '../jobs/jobs.ts';
import {
  balanceOf,
  type Charge,
  type Charged,
  charge,
  type Entry,
  insufficient,
  refundInFull,
} from '../ledger/ledger.ts';
import { NO_VIOLATIONS, type Violations } from '../violations.ts';
import type { CompletionWriter } from './completion-writer.ts';
import type { ContentPolicy } from './content-policy.ts';
import type { ChargeOrder, PayingCall } from './order.ts';
import type { Songwriter } from './songwriter/songwriter.ts';
import type { UnansweredCalls } from './unanswered-store.ts';

export interface PaidOrder {
  operation: PaidOperation;
  model: string | null;
  /** The price of one charge. */
  lines: readonly PriceLine[];
  /** By default one. */
  chargeCount?: number;
  /** Each charge names its job. */
  ofJobs?: boolean;
  directives: Directives;
  refusal?: Error | undefined;
}

/** Prices and charges every paid operation, and begins its work in the same transaction. `work.ts` has the kinds of work. */
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
  async charge<Started>(
    order: PaidOrder,
    payer: PayingCall,
    begin: (tx: Transaction, charges: readonly Entry[]) => Started,
  ): Promise<{ charges: readonly Entry[]; started: Started }> {
    const bill = billOf(order, payer);
    const { status } = order.directives;
    if (status !== undefined) throw injectedStatus(status);
    if (order.refusal) {
      await this.#charges.refuse(bill);
      throw order.refusal;
    }
    const charged = await this.#database.transact((tx) => {
      const charges = this.#charges.charge(tx, bill);
      return { charges, started: begin(tx, charges) };
    });
    payer.onCharged?.(charged.charges);
    return charged;
  }
}

function billOf(order: PaidOrder, { caller, requestId = null }: PayingCall): ChargeOrder {
  const { operation, model, lines, chargeCount = 1, ofJobs = false } = order;
  const prices = Array.from({ length: chargeCount }, () => price(lines));
  const stored = price(lines.filter((line) => line.for === STORE));
  const { accountId } = caller;
  return { accountId, operation, model, prices, lines, stored, requestId, ofJobs };
}

/** The charges and refunds of the pipeline and of jobs, which violations may change. */
export class Charges {
  readonly #random: Random;
  readonly #violations: Violations;

  constructor({ random, violations = NO_VIOLATIONS }: { random: Random; violations?: Violations }) {
    this.#random = random;
    this.#violations = violations;
  }

  /**
   * One entry per price. Throws `insufficient_credits` if the balance is too low for all of them, and then charges nothing.
   */
  charge(tx: Transaction, bill: ChargeOrder): Entry[] {
    const violated = this.#violations.book.isOn ? this.#violations.money.charge(tx, bill) : undefined;
    return violated ?? chargesOf(tx, this.#random, bill).map((each) => charge(tx, this.#random, each));
  }

  refund(tx: Transaction, charged: Charged, job?: NewJob): void {
    if (this.#violations.book.isOn && this.#violations.money.refund(tx, charged, job)) return;
    refundInFull(tx, this.#random, charged);
  }

  keep(tx: Transaction, charged: Charged, take?: number | null): void {
    if (this.#violations.book.isOn) this.#violations.money.keep(tx, charged, take);
  }

  async refuse(bill: ChargeOrder): Promise<void> {
    if (this.#violations.book.isOn) await this.#violations.money.refuse(bill);
  }

  refundRefused(tx: Transaction, charges: readonly Entry[]): void {
    if (this.#violations.book.isOn && this.#violations.money.keepsRefused(tx, charges)) return;
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
