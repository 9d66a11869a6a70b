import path from 'node:path';
import { onTestFinished } from 'vitest';
import { VirtualClock } from '../../src/base/clock/virtual-clock.ts';
import { Database } from '../../src/base/database/database.ts';
import { Random } from '../../src/base/random.ts';
import { Accounts } from '../../src/engine/accounts/accounts.ts';
import { emptyFolder } from '../cli/spawned-program.ts';

/** A new database with its accounts, which is closed at the end of the test. */
export function openDatabase() {
  const folder = emptyFolder();
  const clock = new VirtualClock();
  const file = path.join(folder, 'emulator.db');
  const database = new Database({ file, durable: false, clock });
  const random = new Random(1);
  onTestFinished(() => {
    database.close();
    clock.clear();
  });
  return { folder, file, clock, database, random, accounts: new Accounts({ database, random }) };
}
