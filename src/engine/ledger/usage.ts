import { nextTurn } from '../../base/clock/real-globals.ts';
import { dayNumber, type UsageRow } from '../../base/database/ledger-store.ts';
import type { Reader } from '../../base/database/reader.ts';
import { daysAfter, rangeOfDay, startOfDay, sumUsageInRange, sumUsageOfDays, type UsageDayRow } from './entry-store.ts';

/** Summing so many rows takes a few milliseconds. */
const STRIDE = 2500;

/**
 * Charges from `since` (milliseconds) on, and their refunds, the highest cost first. Whole days are already summed. The
 * rest is summed in steps that do not block other requests.
 */
export async function summarizeUsage(db: Reader, accountId: string, since: number): Promise<UsageRow[]> {
  const sums = new Map<string, UsageRow>();
  const day = dayNumber(since);
  const until = startOfDay(day + 1);
  const rest = since > startOfDay(day) ? rangeOfDay(db, accountId, day) : undefined;
  for (const row of sumUsageOfDays(db, accountId, rest ? day + 1 : day)) add(sums, row);
  if (!rest) return [...sums.values()].sort(byNetCost);
  for (let after = rest.first - 1; after < rest.last; after += STRIDE) {
    const range = { since, until, after, last: Math.min(after + STRIDE, rest.last) };
    for (const row of sumUsageInRange(db, accountId, range)) add(sums, row);
    await nextTurn();
  }
  return [...sums.values()].sort(byNetCost);
}

export async function sumUsage(
  db: Reader,
  accountId: string,
  since: number,
): Promise<{ requests: number; credits: number }> {
  const rows = await summarizeUsage(db, accountId, since);
  return {
    requests: rows.reduce((sum, { charges }) => sum + charges, 0),
    credits: rows.reduce((sum, { charged, refunded }) => sum + charged - refunded, 0),
  };
}

function add(sums: Map<string, UsageRow>, row: UsageRow): void {
  const key = JSON.stringify([row.operation, row.model]);
  const sum = sums.get(key);
  if (!sum) {
    sums.set(key, row);
    return;
  }
  sum.charges += row.charges;
  sum.charged += row.charged;
  sum.refunds += row.refunds;
  sum.refunded += row.refunded;
}

function byNetCost(a: UsageRow, b: UsageRow): number {
  return (
    b.charged - b.refunded - (a.charged - a.refunded) ||
    compare(a.operation, b.operation) ||
    compare(a.model ?? '', b.model ?? '')
  );
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** `credits` is the cost net of refunds. */
export interface SpendingSums {
  charges: number;
  refunds: number;
  charged: number;
  refunded: number;
  credits: number;
}

/** `accounts` and `models` have the highest cost first, `days` (since 1970) the newest first. */
export interface Spending {
  total: SpendingSums;
  accounts: (SpendingSums & { accountId: string })[];
  models: (SpendingSums & { operation: string; model: string | null })[];
  days: (SpendingSums & { day: number })[];
}

/** The charges of all accounts by whole days, from the day of `since` (milliseconds); of one account from `since` on. */
export async function spendingOf(db: Reader, since: number, accountId?: string): Promise<Spending> {
  const spending = await spendingByDay(db, since, accountId);
  if (accountId === undefined) return spending;
  const rows = await summarizeUsage(db, accountId, since);
  const models = rows.map((row) => ({ ...row, credits: row.charged - row.refunded }));
  const total = none();
  for (const row of rows) addTo(total, row);
  const accounts = spending.accounts.map((each) => ({ ...each, ...total }));
  return { ...spending, total, accounts, models };
}

async function spendingByDay(db: Reader, since: number, accountId: string | undefined): Promise<Spending> {
  const first = dayNumber(since);
  const total = none();
  const [accounts, models, days] = [new Groups<string>(), new Groups<string>(), new Groups<number>()];
  for (let last: UsageDayRow | undefined; ; await nextTurn()) {
    const rows = daysAfter(db, last, STRIDE);
    for (const row of rows) {
      if (row.day < first || (accountId !== undefined && row.accountId !== accountId)) continue;
      addTo(total, row);
      addTo(accounts.of(row.accountId), row);
      addTo(models.of(JSON.stringify([row.operation, row.model])), row);
      addTo(days.of(row.day), row);
    }
    last = rows.at(-1);
    if (rows.length < STRIDE) break;
  }
  return {
    total,
    accounts: accounts.list((id) => ({ accountId: id })).sort(byCost),
    models: models.list(kindOf).sort(byCost),
    days: days.list((day) => ({ day })).sort((a, b) => b.day - a.day),
  };
}

class Groups<Key> {
  readonly #sums = new Map<Key, SpendingSums>();

  of(key: Key): SpendingSums {
    const known = this.#sums.get(key) ?? none();
    this.#sums.set(key, known);
    return known;
  }

  list<Named>(name: (key: Key) => Named): (SpendingSums & Named)[] {
    return [...this.#sums].map(([key, sums]) => ({ ...sums, ...name(key) }));
  }
}

function kindOf(key: string): { operation: string; model: string | null } {
  const [operation, model] = JSON.parse(key) as [string, string | null];
  return { operation, model };
}

function none(): SpendingSums {
  return { charges: 0, refunds: 0, charged: 0, refunded: 0, credits: 0 };
}

function addTo(sums: SpendingSums, { charges, refunds, charged, refunded }: Omit<SpendingSums, 'credits'>): void {
  sums.charges += charges;
  sums.refunds += refunds;
  sums.charged += charged;
  sums.refunded += refunded;
  sums.credits += charged - refunded;
}

function byCost(a: SpendingSums, b: SpendingSums): number {
  return b.credits - a.credits || b.charged - a.charged;
}
