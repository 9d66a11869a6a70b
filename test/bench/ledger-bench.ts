import { rmSync } from 'node:fs';
import path from 'node:path';
import { VirtualClock } from '../../src/base/clock/clock.ts';
import { Database } from '../../src/base/database/database.ts';
import { listEntries } from '../../src/engine/ledger/entry-store.ts';
import { benchFolder } from './bench-folder.ts';
import { atMost, type BenchRow, median } from './bench-row.ts';

const ENTRIES = 1_000_000;
const PAGE = 1000;

/** Pages of a usage log of a million entries: the newest, one in the middle, the oldest. */
export async function ledgerBench(): Promise<BenchRow[]> {
  const folder = benchFolder();
  const database = new Database({
    file: path.join(folder, 'emulator.db'),
    durable: false,
    clock: new VirtualClock(),
  });
  try {
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
    return [Number.MAX_SAFE_INTEGER, ENTRIES / 2, PAGE].map((before) => page(database, before));
  } finally {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function page(database: Database, before: number): BenchRow {
  const times = Array.from({ length: 20 }, () => {
    const began = performance.now();
    const entries = listEntries(database, 'a', { limit: PAGE, before });
    if (entries.length < PAGE - 1) throw new Error(`the page has ${entries.length} entries`);
    return performance.now() - began;
  });
  const name = `usage log of 1,000,000, page before ${before > ENTRIES ? 'the end' : before}, ms`;
  return atMost(name, median(times), 5, 2);
}
