import type { Reader } from '../database/transaction.ts';
import { findMispricedRuns, findSharedCharges, findUntoldRuns } from '../flows/run-audit-store.ts';
import { findOrphanCharges, findUnsettled } from '../jobs/job-store.ts';
import { findBrokenChain, findUnbalanced } from '../ledger/ledger-store.ts';
import { findMissingEntries, findOrphanEntries } from '../library/library-audit-store.ts';
import type { Subsystems } from '../subsystems.ts';
import { findBrokenDeliveries } from '../webhooks/delivery-audit-store.ts';

export interface Check {
  name: string;
  ok: boolean;
  detail?: string;
}

/** What must hold at every moment, and who breaks it: ids, none when all is well. */
const INVARIANTS: readonly { name: string; broken: (db: Reader) => string[] }[] = [
  { name: 'every balance is the sum of its entries and never negative', broken: findUnbalanced },
  {
    name: 'every entry carries the balance that follows from the one before',
    broken: findBrokenChain,
  },
  { name: 'every failed job is refunded, and no other', broken: findUnsettled },
  { name: 'every charge of a render has its job', broken: findOrphanCharges },
  { name: 'every succeeded job is in the library', broken: findMissingEntries },
  { name: 'every library entry belongs to a succeeded job', broken: findOrphanEntries },
  { name: 'every run that is over costs its charges net of refunds', broken: findMispricedRuns },
  { name: 'every run that is over has been told once, and no other', broken: findUntoldRuns },
  { name: 'every charge pays for one step of one run at most', broken: findSharedCharges },
  {
    name: 'every delivery carries an event, and was attempted at most once',
    broken: findBrokenDeliveries,
  },
];

/** Checks all of them against what is committed now. */
export function checkInvariants({ database }: Pick<Subsystems, 'database'>): {
  ok: boolean;
  checks: Check[];
} {
  const checks = INVARIANTS.map(({ name, broken }) => {
    const ids = broken(database);
    return ids.length === 0 ? { name, ok: true } : { name, ok: false, detail: ids.slice(0, 20).join(', ') };
  });
  return { ok: checks.every((check) => check.ok), checks };
}
