import type { Database } from '../../base/database/database.ts';
import { price, STORE } from '../catalogue/catalogue.ts';
import { injectedStatus } from '../faults/applied-fault.ts';
import type { Entry } from '../ledger/ledger.ts';
import type { Charges } from './charges.ts';
import type { ChargeOrder, PaidOrder, PaidResult, PayingCall, Usage } from './order.ts';

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
