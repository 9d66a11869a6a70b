import { yieldToEventLoop } from '../../base/clock/real-globals.ts';
import { daysSinceEpoch, type UsageRow } from '../../base/database/ledger-store.ts';
import type { Reader } from '../../base/database/reader.ts';
import {
  chargeRangeOfDay,
  dayNumberToMs,
  listDailyUsagePage,
  sumUsageByModelInRange,
  sumUsageByModelSinceDay,
  type UsageDayRow,
} from './entry-store.ts';

const STRIDE = 2500;

/**
 * Sums the charges from `since` (milliseconds) on and their refunds, highest cost first. Whole days are already summed in
 * the database. The rest is summed in steps that do not block other requests.
 */
export async function summarizeUsageByModel(
  db: Reader,
  accountId: string,
  since: number,
): Promise<(SpendingSums & WorkKind)[]> {
  const kinds = new Groups<string>();
  const day = daysSinceEpoch(since);
  const until = dayNumberToMs(day + 1);
  const rest = since > dayNumberToMs(day) ? chargeRangeOfDay(db, accountId, day) : undefined;
  for (const row of sumUsageByModelSinceDay(db, accountId, rest ? day + 1 : day)) addTo(kinds.of(keyOf(row)), row);
  const { first, last } = rest ?? { first: 1, last: 0 };
  for (let after = first - 1; after < last; after += STRIDE) {
    const range = { since, until, after, last: Math.min(after + STRIDE, last) };
    for (const row of sumUsageByModelInRange(db, accountId, range)) addTo(kinds.of(keyOf(row)), row);
    await yieldToEventLoop();
  }
  return kinds.list(kindOf).sort(byNetCost);
}

export async function sumUsage(
  db: Reader,
  accountId: string,
  since: number,
): Promise<{ requests: number; credits: number }> {
  const rows = await summarizeUsageByModel(db, accountId, since);
  return {
    requests: rows.reduce((sum, { charges }) => sum + charges, 0),
    credits: rows.reduce((sum, { credits }) => sum + credits, 0),
  };
}

function byNetCost(a: SpendingSums & WorkKind, b: SpendingSums & WorkKind): number {
  return b.credits - a.credits || compare(a.operation, b.operation) || compare(a.model ?? '', b.model ?? '');
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

type WorkKind = Pick<UsageRow, 'operation' | 'model'>;

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
  models: (SpendingSums & WorkKind)[];
  days: (SpendingSums & { day: number })[];
}

/**
 * Sums charges from the day of `since` (milliseconds) on. For one account, all sums except `days` begin exactly at
 * `since`.
 */
export async function computeSpending(db: Reader, since: number, accountId?: string): Promise<Spending> {
  const spending = await spendingByDay(db, since, accountId);
  if (accountId === undefined) return spending;
  const models = await summarizeUsageByModel(db, accountId, since);
  const total = none();
  for (const row of models) addTo(total, row);
  const accounts = spending.accounts.map((each) => ({ ...each, ...total }));
  return { ...spending, total, accounts, models };
}

async function spendingByDay(db: Reader, since: number, accountId: string | undefined): Promise<Spending> {
  const first = daysSinceEpoch(since);
  const total = none();
  const [accounts, models, days] = [new Groups<string>(), new Groups<string>(), new Groups<number>()];
  for (let last: UsageDayRow | undefined; ; await yieldToEventLoop()) {
    const rows = listDailyUsagePage(db, { accountId, after: last, limit: STRIDE });
    for (const row of rows) {
      if (row.day < first) continue;
      addTo(total, row);
      addTo(accounts.of(row.accountId), row);
      addTo(models.of(keyOf(row)), row);
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

function keyOf({ operation, model }: WorkKind): string {
  return JSON.stringify([operation, model]);
}

function kindOf(key: string): WorkKind {
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
