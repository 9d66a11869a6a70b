import type { Transaction } from '../../base/database/transaction.ts';
import type { PaidOperation } from '../faults/paid-work.ts';
import type { NewJob } from '../jobs/job.ts';
import type { Entry } from '../ledger/ledger.ts';

/** What an order costs. */
export interface Bill {
  accountId: string;
  operation: PaidOperation;
  model: string | null;
  /** Credits of each charge. */
  prices: readonly number[];
  /** What of a price is for keeping the result. */
  stored?: number | undefined;
  requestId: string | null;
  /** Each charge is for a job, whose id it carries. */
  ofJobs: boolean;
}

/** The nth entry of an account. */
export type Charged = Pick<Entry, 'accountId' | 'n'>;

/** How paid work moves money: all that the pipeline and the ends of jobs write to the ledger. */
export interface Charges {
  /** One entry for each price. Throws `insufficient_credits`, charging nothing, where the balance is short of the whole. */
  charge(tx: Transaction, bill: Bill): Entry[];
  /** Refunds what failed: a job, or work that has none. */
  refund(tx: Transaction, charged: Charged, job?: NewJob): void;
  /** What succeeded keeps its charge; `take` is that of a song. */
  keep(tx: Transaction, charged: Charged, take?: number | null): void;
  /** An order that is refused before its charge is not charged. */
  refuse(bill: Bill): Promise<void> | void;
  /** An order that is refused after its charge gets all of it back. */
  refundRefused(tx: Transaction, charges: readonly Entry[]): void;
}
