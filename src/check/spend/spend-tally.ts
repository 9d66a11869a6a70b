import type { Database } from '../../base/database/database.ts';
import { grouped } from '../../base/text.ts';
import type { Baseline } from './spend-baseline.ts';
import { type SpendRow, sumSpend } from './spend-store.ts';

/** Counts the spending of a whole run, across resets and restores. */
export class SpendTally {
  readonly #spent = new Map<string, SpendRow>();
  #database: Database | undefined;

  attach({ database }: { database: Database }): void {
    this.#database = database;
    this.begin();
  }

  begin(): void {
    this.#count(-1);
  }

  keep(): void {
    this.#count(1);
  }

  spend(): SpendRow[] {
    this.keep();
    const spent = [...this.#spent.values()].filter(({ charges, refunds }) => charges + refunds > 0);
    this.begin();
    return spent;
  }

  #count(sign: 1 | -1): void {
    for (const row of this.#database ? sumSpend(this.#database) : []) {
      const key = `${row.accountId} ${row.operation} ${row.model ?? ''}`;
      const known = this.#spent.get(key);
      const sum = (name: 'charges' | 'refunds' | 'credits') => (known?.[name] ?? 0) + sign * row[name];
      this.#spent.set(key, { ...row, charges: sum('charges'), refunds: sum('refunds'), credits: sum('credits') });
    }
  }
}

const UNNAMED = '(without a name)';

/** Sorted by name, so that two sums can be compared. */
export function spendOf(rows: readonly SpendRow[]): Omit<Baseline, 'object'> {
  return {
    ...total(rows),
    by_work: groups(rows, ({ operation, model }) => `${operation} ${model ?? ''}`).map(
      ([{ operation, model }, counts]) => ({ operation, model, ...counts }),
    ),
    by_account: groups(rows, accountName).map(([row, counts]) => ({ account: accountName(row), ...counts })),
  };
}

function accountName({ accountId, name }: SpendRow): string {
  return name === '' || name === accountId ? UNNAMED : name;
}

function total(rows: readonly SpendRow[]) {
  const sum = (name: 'charges' | 'refunds' | 'credits') => rows.reduce((all, row) => all + row[name], 0);
  return { charges: sum('charges'), refunds: sum('refunds'), credits: sum('credits') };
}

function groups(rows: readonly SpendRow[], keyOf: (row: SpendRow) => string) {
  const inOrder = [...grouped(rows, keyOf)].sort(([a], [b]) => (a < b ? -1 : 1));
  return inOrder.flatMap(([, own]) => own.slice(0, 1).map((first) => [first, total(own)] as const));
}
