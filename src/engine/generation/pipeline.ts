import type { Database } from '../../base/database/database.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { injectedStatus } from '../faults/injected-status.ts';
import type { Entry } from '../ledger/ledger.ts';
import type { DiskReserve } from '../storage/disk-room.ts';
import type { Bill, Charges } from './charges.ts';
import type { JobProcessor } from './job-processor.ts';
import type { Order, Paid, Payer, Usage } from './order.ts';

/**
 * The pipeline of every paid operation: validate, price, charge, work, settle, publish the event.
 * The file of an operation validates and prices its order. The work either runs in the transaction of the charge
 * (`instant-work.ts`, as for a chat), or is a job that renders a file and is settled later (`rendered-work.ts`).
 */
export class Pipeline {
  readonly #database: Database;
  readonly #charges: Charges;
  readonly #reserve: DiskReserve;

  constructor(parts: { database: Database; charges: Charges; reserve: DiskReserve }) {
    this.#database = parts.database;
    this.#charges = parts.charges;
    this.#reserve = parts.reserve;
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
    // The last of the disk is reserved for the end of work that is already paid.
    this.#reserve.requireRoom();
    const { started, charges } = await this.#database.transact((tx) => {
      const charges = this.#charges.charge(tx, bill);
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
}

function billOf<Started, Result>(order: Order<Started, Result>, { caller, requestId = null }: Payer): Bill {
  const { operation, model, prices, stored, work } = order;
  return { accountId: caller.accountId, operation, model, prices, stored, requestId, ofJobs: work.jobs === true };
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
