import { hash } from 'node:crypto';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/base/config/config.ts';
import { storageFull } from '../../../src/base/errors.ts';
import { DiskReserve } from '../../../src/engine/storage/disk-reserve.ts';
import { findFile } from '../../../src/engine/storage/file-store.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { untilFolder } from '../../support/folder-changes.ts';
import { boundedWorld } from '../../support/full-disk.ts';
import { CHAT, expectError } from '../../support/wire.ts';
import { world } from '../../support/world.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

const fileOf = (prompt: string) => hash('sha256', `render of ${prompt}`, 'hex');

async function remaining(bench: Workbench, prompts: string[]): Promise<string[]> {
  await bench.files.settled();
  const files = bench.onDisk();
  const known = prompts.filter((prompt) => findFile(bench.db, fileOf(prompt)));
  expect(known).toEqual(prompts.filter((prompt) => files.includes(fileOf(prompt))));
  return known;
}

describe('a disk limit', () => {
  it('takes the oldest renders off the disk and leaves the newest [I176]', async () => {
    const bench = await openWorkbench({ maxDisk: 25 });
    for (const prompt of ['render-001', 'render-002', 'render-003', 'render-004']) {
      await bench.render(bench.ana, prompt);
    }
    expect(await remaining(bench, ['render-001', 'render-002', 'render-003', 'render-004'])).toEqual([
      'render-003',
      'render-004',
    ]);
  });

  it('never takes stored renders, nor what was uploaded [I176]', async () => {
    const bench = await openWorkbench({ maxDisk: 1 });
    await bench.render(bench.ana, 'stored', { store: true });
    await bench.render(bench.ana, 'unstored');
    await bench.store(bench.ana, 'uploaded');
    expect(await remaining(bench, ['stored', 'unstored'])).toEqual(['stored']);
    expect(bench.onDisk()).toContain(hash('sha256', 'uploaded', 'hex'));
  });

  it('never takes what somebody holds, but once it is let go [I176]', async () => {
    const bench = await openWorkbench({ maxDisk: 10 });
    await bench.render(bench.ana, 'held-00001');
    await bench.files.withPins(async (pins) => {
      pins.claim(fileOf('held-00001'));
      await bench.render(bench.ana, 'free-00001');
      expect(await remaining(bench, ['held-00001', 'free-00001'])).toEqual(['held-00001']);
      await bench.render(bench.ana, 'stored-001', { store: true });
    });
    expect(await remaining(bench, ['held-00001', 'stored-001'])).toEqual(['stored-001']);
  });

  it('takes nothing without a limit', async () => {
    const bench = await openWorkbench();
    await bench.render(bench.ana, 'render-001');
    await bench.render(bench.ana, 'render-002');
    expect(await remaining(bench, ['render-001', 'render-002'])).toHaveLength(2);
  });
});

const dataDir = emptyFolder();
const here = await world({ ephemeral: false, dataDir, maxDisk: 1 });

const renders = () =>
  readdirSync(path.join(dataDir, 'files'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

it('answers with renders that are evicted at once, and serves the same bytes later, uncharged [I176]', async () => {
  const ana = await here.account();
  const order = { prompt: 'a red boat' };
  const inline = await ana.post('/images/generations', order);
  expect(inline.status).toBe(200);
  const bytes = Buffer.from(inline.body.data[0].b64_json, 'base64');
  const linked = await ana.post('/images/generations', { ...order, response_format: 'url' });
  await untilFolder(path.join(dataDir, 'files'), () => renders().length === 0);
  const served = await here.call('GET', linked.body.data[0].url);
  expect(served.status).toBe(200);
  expect(served.bytes.equals(bytes)).toBe(true);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -10', 'charge -10']);
});

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
