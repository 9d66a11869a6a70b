import { yieldToEventLoop } from '../../base/clock/real-globals.ts';
import { VirtualClock } from '../../base/clock/virtual-clock.ts';
import { Database } from '../../base/database/database.ts';
import type { Reader } from '../../base/database/reader.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { highestUsedEntryNumbers, skipEntryNumbers } from '../ledger/entry-store.ts';

const STRIDE = 2000;

/**
 * Carries the used numbers of ids over from the current state to the closed database that replaces it, because no id may be
 * given twice in the life of a data folder [I258].
 */
export async function carryOverIdNumbers(left: Database, file: string): Promise<void> {
  left.flush();
  const clock = new VirtualClock();
  const next = new Database({ file, durable: false, clock });
  try {
    await carryNumbers(left, next);
    for (const of of ['accounts', 'skipped_entries'] as const) await carryEntries(left, next, of);
  } finally {
    next.close();
    clock.clear();
  }
}

async function carryNumbers(left: Database, next: Database): Promise<void> {
  for (let after = { owner: '', kind: '' }; ; await yieldToEventLoop()) {
    const dealt = dealtNumbers(left, after, STRIDE);
    const last = dealt.at(-1);
    if (!last) return;
    await next.transact((tx) => skipNumbers(tx, dealt));
    after = last;
  }
}

async function carryEntries(left: Database, next: Database, of: 'accounts' | 'skipped_entries'): Promise<void> {
  for (let after = ''; ; await yieldToEventLoop()) {
    const dealt = highestUsedEntryNumbers(left, of, { after, limit: STRIDE });
    const last = dealt.at(-1);
    if (!last) return;
    await next.transact((tx) => skipEntryNumbers(tx, dealt));
    after = last.accountId;
  }
}

interface DealtNumber {
  owner: string;
  kind: string;
  n: number;
}

/**
 * Reads the last number of each sequence of ids, keys and secrets. Leaves out kinds with a colon (`nth:`, `draw:`,
 * `latency:`), which count uses of fault rules and latency profiles, because the snapshot restores them.
 */
function dealtNumbers(db: Reader, { owner, kind }: Pick<DealtNumber, 'owner' | 'kind'>, limit: number): DealtNumber[] {
  return db.all<DealtNumber>(
    `SELECT owner, kind, n FROM sequences WHERE (owner, kind) > (?, ?) AND instr(kind, ':') = 0
     ORDER BY owner, kind LIMIT ?`,
    owner,
    kind,
    limit,
  );
}

function skipNumbers(tx: Transaction, dealt: readonly DealtNumber[]): void {
  tx.run(
    `INSERT INTO sequences (owner, kind, n)
     SELECT value ->> 'owner', value ->> 'kind', value ->> 'n' FROM json_each(?) WHERE true
     ON CONFLICT (owner, kind) DO UPDATE SET n = MAX(n, excluded.n)`,
    JSON.stringify(dealt),
  );
}
