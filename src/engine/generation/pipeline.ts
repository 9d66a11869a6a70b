import type { Database } from '../../base/database/database.ts';
import { nextId } from '../../base/database/id-store.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import type { Random } from '../../base/random.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Directives } from '../faults/directives.ts';
import { injectedStatus } from '../faults/injected-status.ts';
import type { Lies } from '../faults/lies/lies.ts';
import { balanceOf, charge, type Entry, insufficient } from '../ledger/ledger.ts';
import type { DiskReserve } from '../storage/disk-room.ts';
import type { JobProcessor } from './job-processor.ts';
import { chargeLied, liedBill, type MoneyParts } from './lied-money.ts';
import { chargeRefused } from './lied-refunds.ts';
import type { Order, Paid, Payer, Usage } from './order.ts';

/**
 * The pipeline of every paid operation: validate, price, charge, work, settle, publish the event.
 * The file of an operation validates and prices its order. The work either runs in the transaction of the charge
 * (`instant-work.ts`, as for a chat), or is a job that renders a file and is settled later (`rendered-work.ts`).
 *
 * A lie is the effect of a fault rule that breaks one rule of the contract on purpose, such as a wrong charge; what
 * this file does about lies is skipped unless there are any.
 */
export class Pipeline {
  readonly #database: Database;
  readonly #random: Random;
  readonly #reserve: DiskReserve;
  readonly #lies: Lies;

  constructor(parts: { database: Database; random: Random; reserve: DiskReserve; lies: Lies }) {
    this.#lies = parts.lies;
    this.#database = parts.database;
    this.#random = parts.random;
    this.#reserve = parts.reserve;
  }

  /**
   * Throws `content_blocked` or an injected status before anything is charged. Throws `insufficient_credits` when the balance
   * does not cover the whole order, and `storage_full`; then none of its work has started.
   */
  async run<Started, Result>(order: Order<Started, Result>, payer: Payer): Promise<Paid<Result>> {
    if (order.refusal && this.#lies.isOn) await this.#chargeRefused(order, payer);
    refuse(order.directives, order.refusal);
    // The last of the disk is reserved for the end of work that is already paid.
    this.#reserve.requireRoom();
    const { started, charges } = await this.#database.transact((tx) => {
      const charges = this.#charge(tx, order, payer);
      const started = order.work.begin(tx, charges);
      payer.onStarted?.(tx, { charges, instant: order.work.instant?.(started) });
      return { started, charges };
    });
    if (payer.facts) payer.facts.charges = charges;
    if (payer.scripted) payer.scripted.charged = true;
    const result = await order.work.finish(started);
    const usage = usageOf(charges);
    if (payer.facts) payer.facts.credits = usage.credits_spent;
    return { result, usage };
  }

  #charge<Started, Result>(tx: Transaction, order: Order<Started, Result>, payer: Payer): Entry[] {
    const { accountId } = payer.caller;
    const { requestId = null } = payer;
    const { operation, model } = order;
    const lied = this.#lies.isOn ? liedBill(this.#lies, tx, { accountId, operation, model }, order) : undefined;
    const prices = lied?.prices ?? order.prices;
    if (prices.length > 1) requireTotal(tx, prices, accountId);
    return prices.map((amount) => {
      const jobId = order.work.jobs ? nextId(tx, this.#random, 'job', accountId) : null;
      const wanted = { accountId, amount, operation, model, jobId, requestId };
      return lied ? chargeLied(this.#money, tx, wanted, lied) : charge(tx, this.#random, wanted);
    });
  }

  get #money(): MoneyParts {
    return { random: this.#random, lies: this.#lies };
  }

  /** With a lie that says so, an order that is refused for its content is charged all the same. */
  async #chargeRefused<Started, Result>(order: Order<Started, Result>, { caller }: Payer): Promise<void> {
    if (order.directives.status !== undefined) return;
    const { operation, model, prices } = order;
    const { accountId } = caller;
    await this.#database.transact((tx) => {
      chargeRefused(this.#money, tx, { accountId, operation, model }, prices);
    });
  }
}

/** An order of several takes starts as a whole or not at all: its error names the price of the whole. */
function requireTotal(tx: Transaction, prices: readonly number[], accountId: string): void {
  const total = sum(prices);
  const balance = balanceOf(tx, accountId);
  if (balance < total) throw insufficient(total, balance);
}

function sum(prices: readonly number[]): number {
  return prices.reduce((total, price) => total + price, 0);
}

function refuse(directives: Directives, refusal: Error | undefined): void {
  const { status } = directives;
  if (status !== undefined) throw injectedStatus(status);
  if (refusal) throw refusal;
}

function usageOf(charges: readonly Entry[]): Usage {
  const spent = charges.reduce((total, entry) => total - entry.amount, 0);
  return { credits_spent: spent, credits_remaining: charges.at(-1)?.balance ?? 0 };
}

export interface RenderParts {
  pipeline: Pipeline;
  processor: JobProcessor;
  catalogue: Catalogue;
}
