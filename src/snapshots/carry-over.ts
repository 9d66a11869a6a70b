import { setImmediate as turn } from 'node:timers/promises';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { Database } from '../database/database.ts';
import { dealtNumbers, skipNumbers } from '../database/id-store.ts';
import { resumeTimeline } from '../journal/journal-record.ts';
import { dealtEntries, skipEntries } from '../ledger/entry-numbers-store.ts';
import type { SnapshotRecord } from './snapshot-folder.ts';

/** How many numbers are carried over between two turns of the event loop. */
const STRIDE = 2000;

/** The state that is left, the closed file of that which is gone on with, and the machine's time at which. */
export interface Passage {
  left: Database;
  file: string;
  snapshot: Pick<SnapshotRecord, 'created' | 'imported'>;
  at: number;
}

/**
 * Writes into the file of a snapshot what outlives the state that it replaces: no id is dealt twice in a data folder's
 * life, and what was on record before is known to be of a discarded future [I258].
 */
export async function carryOver({ left, file, snapshot, at }: Passage): Promise<void> {
  left.flush();
  const clock = new VirtualClock();
  const next = new Database({ file, durable: false, clock });
  try {
    await carryNumbers(left, next);
    for (const of of ['accounts', 'skipped_entries'] as const) await carryEntries(left, next, of);
    const saved = snapshot.imported ? undefined : snapshot.created;
    await next.transact((tx) => resumeTimeline(tx, { saved, at }));
  } finally {
    next.close();
    clock.clear();
  }
}

async function carryNumbers(left: Database, next: Database): Promise<void> {
  for (let after = { owner: '', kind: '' }; ; await turn()) {
    const dealt = dealtNumbers(left, after, STRIDE);
    const last = dealt.at(-1);
    if (!last) return;
    await next.transact((tx) => skipNumbers(tx, dealt));
    after = last;
  }
}

async function carryEntries(left: Database, next: Database, of: 'accounts' | 'skipped_entries'): Promise<void> {
  for (let after = ''; ; await turn()) {
    const dealt = dealtEntries(left, of, { after, limit: STRIDE });
    const last = dealt.at(-1);
    if (!last) return;
    await next.transact((tx) => skipEntries(tx, dealt));
    after = last.accountId;
  }
}
