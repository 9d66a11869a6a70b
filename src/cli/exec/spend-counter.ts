import type { Database } from '../../base/database/database.ts';
import type { SpendRow } from '../../check/spend.ts';
import { readSpendRows } from './spend-store.ts';

export class SpendCounter {
  isReplaced = false;
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
    this.isReplaced = true;
    this.#count(1);
  }

  spend(): SpendRow[] {
    this.#count(1);
    const spent = [...this.#spent.values()].filter(({ charges, refunds }) => charges + refunds > 0);
    this.begin();
    return spent;
  }

  #count(sign: 1 | -1): void {
    for (const row of this.#database ? readSpendRows(this.#database) : []) {
      const key = `${row.accountId} ${row.operation} ${row.model ?? ''}`;
      const known = this.#spent.get(key);
      const sum = (name: 'charges' | 'refunds' | 'credits') => (known?.[name] ?? 0) + sign * row[name];
      this.#spent.set(key, { ...row, charges: sum('charges'), refunds: sum('refunds'), credits: sum('credits') });
    }
  }
}
