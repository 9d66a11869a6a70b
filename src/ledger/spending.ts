import { setImmediate as breath } from 'node:timers/promises';
import type { Reader } from '../database/transaction.ts';
import { dayOf, daysAfter, type UsageStretchRow } from './usage-store.ts';

/** How many charges, and what they cost in credits; `credits` is what was not given back. */
export interface Sums {
  charges: number;
  refunds: number;
  charged: number;
  refunded: number;
  credits: number;
}

/** What all accounts were charged; `accounts` and `models` the dearest first, `days` (since 1970) the newest first. */
export interface Spending {
  total: Sums;
  accounts: (Sums & { accountId: string })[];
  models: (Sums & { operation: string; model: string | null })[];
  days: (Sums & { day: number })[];
}

/** How many rows are summed before others go on. */
const STRIDE = 2500;

/** Of all accounts, or of one: the charges of whole days, from that in which `since` lies; in milliseconds. */
export async function spendingOf(db: Reader, since: number, accountId?: string): Promise<Spending> {
  const first = dayOf(since);
  const total = none();
  const [accounts, models, days] = [new Groups<string>(), new Groups<string>(), new Groups<number>()];
  for (let last: UsageStretchRow | undefined; ; await breath()) {
    const rows = daysAfter(db, last, STRIDE);
    for (const row of rows) {
      if (row.day < first || (accountId !== undefined && row.accountId !== accountId)) continue;
      add(total, row);
      add(accounts.of(row.accountId), row);
      add(models.of(JSON.stringify([row.operation, row.model])), row);
      add(days.of(row.day), row);
    }
    last = rows.at(-1);
    if (rows.length < STRIDE) break;
  }
  return {
    total,
    accounts: accounts.list((id) => ({ accountId: id })).sort(dearest),
    models: models.list(kindOf).sort(dearest),
    days: days.list((day) => ({ day })).sort((a, b) => b.day - a.day),
  };
}

class Groups<Key> {
  readonly #sums = new Map<Key, Sums>();

  of(key: Key): Sums {
    const known = this.#sums.get(key) ?? none();
    this.#sums.set(key, known);
    return known;
  }

  list<Named>(name: (key: Key) => Named): (Sums & Named)[] {
    return [...this.#sums].map(([key, sums]) => ({ ...sums, ...name(key) }));
  }
}

function kindOf(key: string): { operation: string; model: string | null } {
  const [operation, model] = JSON.parse(key) as [string, string | null];
  return { operation, model };
}

function none(): Sums {
  return { charges: 0, refunds: 0, charged: 0, refunded: 0, credits: 0 };
}

function add(sums: Sums, { charges, refunds, charged, refunded }: UsageStretchRow): void {
  sums.charges += charges;
  sums.refunds += refunds;
  sums.charged += charged;
  sums.refunded += refunded;
  sums.credits += charged - refunded;
}

function dearest(a: Sums, b: Sums): number {
  return b.credits - a.credits || b.charged - a.charged;
}
