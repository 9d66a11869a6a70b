import { makeId, numberOf } from '../base/database/id-store.ts';
import type { Reader } from '../base/database/transaction.ts';
import type { Random } from '../base/random.ts';
import { listAccountIds } from '../engine/accounts/account-store.ts';
import type { PriceLine } from '../engine/catalogue/catalogue.ts';
import { findEntry } from '../engine/ledger/entry-store.ts';
import type { StoredEntry } from '../engine/ledger/ledger-store.ts';

/** With the public ids of the entry and of the refunded charge. */
export interface PaidEntry extends Omit<StoredEntry, 'refundOf'> {
  id: string;
  refundOf: string | null;
  /** The parts of the price, if an order is shown. */
  lines?: readonly PriceLine[];
}

export function paidEntry(random: Random, entry: StoredEntry): PaidEntry {
  const { accountId, n, refundOf } = entry;
  const id = makeId(random, 'entry', accountId, n);
  return { ...entry, id, refundOf: refundOf === null ? null : makeId(random, 'entry', accountId, refundOf) };
}

export function findPaidEntry(
  { database, random }: { database: Reader; random: Random },
  id: string,
  accountIds = listAccountIds(database),
): PaidEntry | undefined {
  for (const accountId of accountIds) {
    const n = numberOf(random, 'entry', accountId, id);
    const entry = n === undefined ? undefined : findEntry(database, accountId, n);
    if (entry) return paidEntry(random, entry);
  }
  return undefined;
}

/** `created` is in unix seconds. */
export function entryView({ id, type, amount, balance, operation, model, created, ...refs }: PaidEntry) {
  const names = { job_id: refs.jobId, refund_of: refs.refundOf, request_id: refs.requestId };
  return { id, type, amount, balance, operation, model, ...names, created: Math.floor(created / 1000) };
}
