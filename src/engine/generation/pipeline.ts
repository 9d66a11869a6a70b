import type { Database } from '../../base/database/database.ts';
import { nextId } from '../../base/database/id-store.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import type { Random } from '../../base/random.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { injectedStatus } from '../faults/applied-fault.ts';
import { balanceOf, charge, type Entry, insufficient, refund } from '../ledger/ledger.ts';
import type { Bill, Charges, Order, Paid, Payer, Usage } from './order.ts';
import type { WorkParts } from './rendered-work.ts';

/**
 * The pipeline of every paid operation: validate, price, charge, work, settle, publish the event.
 * The file of an operation validates and prices its order. The work either runs in the transaction of the charge
 * (`instant-work.ts`, as for a chat), or is a job that renders a file and is settled later (`rendered-work.ts`).
 */
export class Pipeline {
  readonly #database: Database;
  readonly #charges: Charges;

  constructor(parts: { database: Database; charges: Charges }) {
    this.#database = parts.database;
    this.#charges = parts.charges;
  }

  /**
   * Throws `content_blocked` or an injected status before anything is charged. Throws `insufficient_credits` when the balance
   * does not cover the whole order, and `storage_full`; then none of its work has started.
   */
  async run<Started, Result>(order: Order<Started, Result>, payer: Payer): Promise<Paid<Result>> {
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

function billOf<Started, Result>(order: Order<Started, Result>, { caller, requestId = null }: Payer): Bill {
  const { operation, model, prices, stored, work } = order;
  return { accountId: caller.accountId, operation, model, prices, stored, requestId, ofJobs: work.jobs === true };
}

/** The charges of the contract: each once, and refunded in full. */
export function plainCharges(random: Random): Charges {
  return {
    charge(tx, { prices, ofJobs, accountId, operation, model, requestId }) {
      requireTotal(tx, prices, accountId);
      return prices.map((amount) => {
        const jobId = ofJobs ? nextId(tx, random, 'job', accountId) : null;
        return charge(tx, random, { accountId, amount, operation, model, jobId, requestId });
      });
    },
    refund: (tx, charged) => void refund(tx, random, charged),
    keep() {},
    refuse() {},
    refundRefused(tx, charges) {
      for (const charged of charges) refund(tx, random, charged);
    },
  };
}

/** An order of several takes starts as a whole or not at all: its error names the price of the whole. */
export function requireTotal(tx: Transaction, prices: readonly number[], accountId: string): void {
  if (prices.length < 2) return;
  const total = prices.reduce((sum, price) => sum + price, 0);
  const balance = balanceOf(tx, accountId);
  if (balance < total) throw insufficient(total, balance);
}

function usageOf(charges: readonly Entry[]): Usage {
  const spent = charges.reduce((total, entry) => total - entry.amount, 0);
  return { credits_spent: spent, credits_remaining: charges.at(-1)?.balance ?? 0 };
}

export interface RenderParts extends WorkParts {
  pipeline: Pipeline;
  catalogue: Catalogue;
}
