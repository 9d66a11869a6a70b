import { listEntries } from '../../src/engine/ledger/entry-store.ts';
import { atMost, type BenchRow, each, medianTime } from './bench-row.ts';
import { withDatabase } from './bench-server.ts';

const ENTRIES = 1_000_000;
const PAGE = 1000;

/** Pages of a usage log of a million entries: the newest, one in the middle, the oldest. */
export function ledgerBench(): Promise<BenchRow[]> {
  return withDatabase(async ({ database }) => {
    await database.transact((tx) => {
      tx.run("INSERT INTO workspaces (id, plan, created) VALUES ('w', 'studio', 0)");
      tx.run("INSERT INTO accounts (id, workspace_id, name, role, created) VALUES ('a', 'w', 'a', 'owner', 0)");
      tx.run(
        `INSERT INTO ledger (account_id, n, type, amount, balance, operation, created)
         WITH RECURSIVE count (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count WHERE n < ?)
         SELECT 'a', n, 'charge', -1, 0, 'chat.completion', n FROM count`,
        ENTRIES,
      );
    });
    const pages = [Number.MAX_SAFE_INTEGER, ENTRIES / 2, PAGE];
    return each(pages, async (before) => {
      const name = `usage log of 1,000,000, page before ${before > ENTRIES ? 'the end' : before}, ms`;
      const ms = await medianTime(20, () => {
        const entries = listEntries(database, 'a', { limit: PAGE, before });
        if (entries.length < PAGE - 1) throw new Error(`the page has ${entries.length} entries`);
      });
      return atMost(name, ms, 5, 2);
    });
  });
}
