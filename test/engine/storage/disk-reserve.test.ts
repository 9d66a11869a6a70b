import { existsSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readConfig } from '../../../src/base/config/config.ts';
import { storageFull } from '../../../src/base/errors.ts';
import { DiskReserve } from '../../../src/engine/storage/disk-room.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { boundedWorld } from '../../support/full-disk.ts';
import { CHAT, expectError } from '../../support/wire.ts';

const SIZE = 2 * 1_048_576;

function reserveFolder(): { folder: string; file: string } {
  const folder = emptyFolder();
  return { folder, file: path.join(folder, 'reserve') };
}

it('keeps 2 MiB that are really on the disk, for their owner alone [I170 I229]', () => {
  const { folder, file } = reserveFolder();
  expect(new DiskReserve({ path: folder, isEphemeral: false }).hasRoom()).toBe(true);
  const { size, blocks, mode } = statSync(file);
  expect([size, blocks * 512 >= SIZE]).toEqual([SIZE, true]);
  if (process.platform !== 'win32') expect(mode & 0o777).toBe(0o600);
});

it('finds that of an earlier run, and replaces one that is not whole [I170]', () => {
  const { folder, file } = reserveFolder();
  writeFileSync(file, 'cut short');
  expect(new DiskReserve({ path: folder, isEphemeral: false }).hasRoom()).toBe(true);
  const made = statSync(file);
  expect(made.size).toBe(SIZE);
  expect(new DiskReserve({ path: folder, isEphemeral: false }).hasRoom()).toBe(true);
  expect(statSync(file).mtimeMs).toBe(made.mtimeMs);
});

it('keeps none in a folder that nobody opens again', () => {
  const { folder, file } = reserveFolder();
  expect(new DiskReserve({ path: folder, isEphemeral: true }).hasRoom()).toBe(true);
  expect(existsSync(file)).toBe(false);
});

it('is let go for work that a full disk refuses, which is then done once more, and for nothing else', async () => {
  const { folder, file } = reserveFolder();
  const reserve = new DiskReserve({ path: folder, isEphemeral: false });
  reserve.hasRoom();
  await expect(reserve.granted(() => Promise.reject(new Error('no disk')))).rejects.toThrow('no disk');
  expect(existsSync(file)).toBe(true);
  const seen: boolean[] = [];
  const work = async () => {
    seen.push(existsSync(file));
    if (seen.length === 1) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    return 'done';
  };
  expect(await reserve.granted(work)).toBe('done');
  expect(seen).toEqual([true, false]);
  await expect(reserve.granted(() => Promise.reject(storageFull()))).rejects.toMatchObject({ code: 'storage_full' });
});

it('is let go when the database cannot be written, and made again with the next order that finds room [I170]', async () => {
  const { folder, file } = reserveFolder();
  const config = readConfig({ port: 0, dataDir: folder, log: 'silent', warm: false }, {});
  const { here, fill, free } = await boundedWorld(config);
  const account = await here.account({ credits: 1000 });
  const credits = await account.balance();
  const { mtimeMs } = statSync(file);
  await fill();
  // What is left of the pages that there are is used up first.
  let answer = await account.post('/chat/completions', CHAT);
  let served = 0;
  for (; answer.status === 200; served += 1) answer = await account.post('/chat/completions', CHAT);
  expectError(answer, 507, 'storage_full');
  expect(await account.balance()).toBe(credits - served);
  await free();
  expect((await account.post('/chat/completions', CHAT)).status).toBe(200);
  expect(statSync(file).mtimeMs).toBeGreaterThan(mtimeMs);
  expect(await account.balance()).toBe(credits - served - 1);
  expect(await here.invariants()).toMatchObject({ ok: true });
});
