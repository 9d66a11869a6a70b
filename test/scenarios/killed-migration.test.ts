import { statSync, watch } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { schemaVersion } from '../../src/base/database/migrate.ts';
import { openSqlite } from '../../src/base/database/open-sqlite.ts';
import { SpawnedProgram } from '../cli/spawned-program.ts';
import { startLife } from '../support/lives.ts';
import { oldFolder } from './old-folder.ts';

const CHARGES = 60_000;
const DAY = 86_400_000;

/** Many charges of many days, so that the migration takes a while; answers what the ledger of the first account sums up to. */
function fillLedger(folder: string): { id: string; balance: number } {
  const db = openSqlite(path.join(folder, 'emulator.db'));
  try {
    const last = db
      .prepare(`SELECT account_id AS id, n, balance, created FROM ledger ORDER BY balance DESC LIMIT 1`)
      .get();
    const { id, n, balance, created } = last as { id: string; n: number; balance: number; created: number };
    const add = db.prepare(
      `INSERT INTO ledger (account_id, n, type, amount, balance, operation, model, created)
       VALUES (?, ?, 'charge', -1, ?, 'chat.completion', 'svc-rp-mini', ?)`,
    );
    db.exec('BEGIN');
    for (let at = 1; at <= CHARGES; at += 1) add.run(id, n + at, balance - at, created + (at % 500) * DAY);
    db.exec('COMMIT');
    return { id, balance: balance - CHARGES };
  } finally {
    db.close();
  }
}

function schemaOf(folder: string): { version: number; rows: number } {
  const db = openSqlite(path.join(folder, 'emulator.db'), { readonly: true });
  try {
    const { version } = db.prepare('SELECT user_version AS version FROM pragma_user_version').get() as {
      version: number;
    };
    const { rows } = db.prepare('SELECT COUNT(*) AS rows FROM ledger').get() as { rows: number };
    return { version, rows };
  } finally {
    db.close();
  }
}

/** Starts and kills it as soon as the log of the database is so long, in bytes; at the latest when it is ready. */
async function killedAt(folder: string, bytes: number): Promise<void> {
  const log = path.join(folder, 'emulator.db-wal');
  const isSo = () => (statSync(log, { throwIfNoEntry: false })?.size ?? -1) >= bytes;
  const watcher = watch(folder);
  const program = new SpawnedProgram(['start', '--port', '0', '--data-dir', folder, '--log', 'silent']);
  watcher.on('change', () => {
    if (isSo()) program.child.kill('SIGKILL');
  });
  program.child.stdout?.once('data', () => program.child.kill('SIGKILL'));
  await program.ended();
  watcher.close();
  expect(program.child.signalCode).toBe('SIGKILL');
}

it.each([0, 1, 32_768])(
  'finishes the migration of a folder of 0.1.0 that was killed at %i bytes of its log [I093 I155 R001]',
  async (bytes) => {
    const folder = oldFolder();
    const filled = fillLedger(folder);
    const before = schemaOf(folder);
    await killedAt(folder, bytes);
    const between = schemaOf(folder);
    expect([before.version, schemaVersion()]).toContain(between.version);
    expect(between.rows).toBe(before.rows);
    const { program, here } = await startLife([], folder);
    expect(await here.invariants()).toMatchObject({ ok: true });
    const summary = await here.control('GET', `/accounts/${filled.id}/usage/summary`);
    expect(summary.body.total).toMatchObject({ charges: CHARGES, charged: CHARGES, refunds: 0 });
    expect((await here.control('GET', `/accounts/${filled.id}`)).body.credits).toBe(filled.balance);
    expect(await program.stop()).toBe(0);
  },
);
