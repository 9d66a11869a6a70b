import type { LedgerEntry } from '../data/records.ts';

/** One entry by itself: whose it is, and what gave it back. */
export interface EntryRecord extends LedgerEntry {
  account_id: string;
  refunded_by: string | null;
}

/** How a balance moved; `created` is unix seconds. */
export interface BalanceHistory {
  account_id: string;
  /** How many there are; `data` are some of them. */
  entries: number;
  /** What stood before the first one. */
  start: number;
  data: { created: number; balance: number }[];
}

interface Sums {
  charges: number;
  refunds: number;
  charged: number;
  refunded: number;
  /** What was charged and not given back. */
  credits: number;
}

export interface Spending {
  data: (Sums & { operation: string; model: string | null })[];
  total: Sums;
}
