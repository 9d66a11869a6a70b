import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '../../../src/base/database/open-sqlite.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { CHAT, expectError } from '../../support/wire.ts';
import { world } from '../../support/world.ts';
import { wholeState } from './whole-state.ts';

/** An emulator with a data folder that the test can read. */
async function onFolder() {
  const folder = path.join(emptyFolder(), 'data');
  const here = await world({ ephemeral: false, dataDir: folder });
  return { folder, here };
}

function databaseOf(folder: string, name: string): string {
  const { content } = JSON.parse(readFileSync(path.join(folder, 'snapshots', `${name}.json`), 'utf8'));
  return path.join(folder, 'snapshots', content, 'emulator.db');
}

const SPOILED: [string, RegExp, (file: string) => void][] = [
  ['of a newer version', /newer svc-emulator.*Upgrade/, addVersion],
  ['with torn pages', /damaged/, (file) => overwrite(file, 8192, 20_000)],
  ['without its header', /damaged/, (file) => overwrite(file, 0, 100)],
  ['that is empty', /damaged/, (file) => writeFileSync(file, '')],
  ['cut in half', /damaged/, (file) => writeFileSync(file, readFileSync(file).subarray(0, 40_960))],
];

function overwrite(file: string, from: number, length: number): void {
  const bytes = readFileSync(file);
  bytes.fill(0x5a, from, from + length);
  writeFileSync(file, bytes);
}

it.each(SPOILED)(
  'rejects the restore of a snapshot %s, names it, and changes nothing [I230]',
  async (_what, reason, spoil) => {
    const { folder, here } = await onFolder();
    const ana = await here.account();
    await here.control('POST', '/snapshots', { name: 'bad.one' });
    spoil(databaseOf(folder, 'bad.one'));
    await ana.post('/chat/completions', CHAT);
    const before = await wholeState(here);
    const refused = await here.control('POST', '/snapshots/bad.one/restore');
    const { message, param } = expectError(refused, 400, 'invalid_request');
    expect([param, message]).toEqual(['name', expect.stringMatching(reason)]);
    expect(message).toContain('"bad.one"');
    expect(message).not.toContain(folder);
    expect(await wholeState(here)).toEqual(before);
    expect((await ana.post('/chat/completions', CHAT)).status).toBe(200);
    expect(await ana.ledger()).toEqual(['grant 50', 'charge -1', 'charge -1']);
  },
);

it('lists an unreadable snapshot as damaged, removes it on request, and removes files that belong to no snapshot [I093 I230]', async () => {
  const folder = path.join(emptyFolder(), 'data');
  const start = () => world({ ephemeral: false, dataDir: folder });
  const first = await start();
  await first.control('POST', '/snapshots', { name: 'a' });
  await first.close();
  writeFileSync(path.join(folder, 'snapshots', 'b.json'), '{"name": "b"');
  mkdirSync(path.join(folder, 'snapshots', 'half', 'files'), { recursive: true });

  const here = await start();
  const { data } = (await here.control('GET', '/snapshots')).body;
  expect(data).toEqual([expect.objectContaining({ name: 'a' }), { name: 'b', damaged: true }]);
  const { message } = expectError(await here.control('POST', '/snapshots/b/restore'), 400, 'invalid_request');
  expect(message).toMatch(/is damaged.*DELETE/);
  expect((await here.control('POST', '/snapshots/a/restore')).status).toBe(200);
  expect((await here.control('DELETE', '/snapshots/b')).status).toBe(204);
  expect((await here.control('GET', '/snapshots')).body.data).toHaveLength(1);
  expectError(await here.control('DELETE', '/snapshots/b'), 404, 'not_found');
  await here.close();
  expect(() => readFileSync(path.join(folder, 'snapshots', 'half', 'files'))).toThrow('ENOENT');
});

it.runIf(process.platform === 'linux')(
  'returns storage_full if it cannot save or restore a snapshot, and keeps the old snapshot and the state [I093 I170]',
  async () => {
    const { folder, here } = await onFolder();
    const ana = await here.account();
    await here.control('POST', '/snapshots', { name: 'a' });
    await ana.post('/chat/completions', CHAT);
    const before = await wholeState(here);
    const snapshots = path.join(folder, 'snapshots');
    // Not even root can create a file in that folder.
    await insteadOf(snapshots, '/sys/kernel', async () => {
      expectError(await here.control('POST', '/snapshots', { name: 'a' }), 507, 'storage_full');
    });
    const kept = readdirSync(snapshots);
    await insteadOf(path.join(folder, 'tmp'), '/sys/kernel', async () => {
      expectError(await here.control('POST', '/snapshots/a/restore'), 507, 'storage_full');
      expectError(await here.control('POST', '/reset'), 507, 'storage_full');
    });
    expect(await wholeState(here)).toEqual(before);
    expect((await ana.post('/chat/completions', CHAT)).status).toBe(200);
    expect(readdirSync(snapshots)).toEqual(kept);
    expect((await here.control('POST', '/snapshots/a/restore')).status).toBe(200);
    expect(await ana.ledger()).toEqual(['grant 50']);
  },
);

/** Replaces a folder by another one during `work`. */
async function insteadOf(folder: string, other: string, work: () => Promise<void>): Promise<void> {
  renameSync(folder, `${folder}.aside`);
  symlinkSync(other, folder);
  await work();
  unlinkSync(folder);
  renameSync(`${folder}.aside`, folder);
}

function addVersion(file: string): void {
  const database = openSqlite(file);
  database.exec('PRAGMA user_version = 999');
  database.close();
}
