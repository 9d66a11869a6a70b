import type { Reader } from '../database/transaction.ts';
import { findBroken, findJobless, sumEntries } from './ledger-audit-store.ts';
import { readTail } from './ledger-store.ts';
import { gapsBetween, skippedIn } from './skipped-store.ts';

/** How many entries are looked at before others go on: some milliseconds. */
const STRIDE = 1000;

/** What is wrong with the entries of an account: nothing, ever. */
export interface LedgerAudit {
  /** The balance is the sum of the entries and not negative, and they are numbered from 1, but for what was skipped. */
  isBalanced: boolean;
  /** Entries whose balance does not follow from the one before. */
  broken: string[];
  /** Charges of jobs that are not there. */
  jobless: string[];
}

/** Looks at all entries of an account; `breathe` is called between two stretches of them. */
export async function auditLedger(db: Reader, accountId: string, breathe: () => Promise<void>): Promise<LedgerAudit> {
  const tail = readTail(db, accountId);
  const audit: LedgerAudit = { isBalanced: true, broken: [], jobless: [] };
  const sum = { entries: 0, total: 0 };
  for (let after = 0; after < tail.n; after += STRIDE) {
    const stretch = { accountId, after, last: Math.min(after + STRIDE, tail.n) };
    const { entries, total } = sumEntries(db, stretch);
    sum.entries += entries;
    sum.total += total;
    audit.broken.push(...findBroken(db, stretch));
    audit.jobless.push(...findJobless(db, stretch));
    if (stretch.last < tail.n) await breathe();
  }
  const numbered = tail.n - skippedIn(gapsBetween(db, accountId, { first: 0, last: tail.n }));
  audit.isBalanced = tail.balance === sum.total && tail.balance >= 0 && numbered === sum.entries;
  return audit;
}
