import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { Accounts } from '../../src/accounts/accounts.ts';
import { VirtualClock } from '../../src/clock/virtual-clock.ts';
import { Database } from '../../src/database/database.ts';
import { Random } from '../../src/random.ts';

/** A database of its own, with the accounts that live in it, gone when the test is. */
export function openDatabase() {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-database-'));
  const clock = new VirtualClock();
  const file = path.join(folder, 'emulator.db');
  const database = new Database({ file, durable: false, clock });
  const random = new Random(1);
  onTestFinished(() => {
    database.close();
    clock.clear();
    rmSync(folder, { recursive: true });
  });
  return { folder, file, clock, database, random, accounts: new Accounts({ database, random }) };
}
