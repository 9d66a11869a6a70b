import { hash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findFile } from '../../../src/engine/storage/file-store.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { untilFolder } from '../../support/folder-changes.ts';
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
  it('removes the oldest renders beyond --max-disk, and keeps the newest [I176]', async () => {
    const bench = await openWorkbench({ maxDisk: 25 });
    for (const prompt of ['render-001', 'render-002', 'render-003', 'render-004']) {
      await bench.render(bench.ana, prompt);
    }
    expect(await remaining(bench, ['render-001', 'render-002', 'render-003', 'render-004'])).toEqual([
      'render-003',
      'render-004',
    ]);
  });

  it('never removes stored renders or uploads [I176]', async () => {
    const bench = await openWorkbench({ maxDisk: 1 });
    await bench.render(bench.ana, 'stored', { store: true });
    await bench.render(bench.ana, 'unstored');
    await bench.store(bench.ana, 'uploaded');
    expect(await remaining(bench, ['stored', 'unstored'])).toEqual(['stored']);
    expect(bench.onDisk()).toContain(hash('sha256', 'uploaded', 'hex'));
  });

  it('does not remove a file beyond --max-disk while it is in use [I176]', async () => {
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

  it('removes no render without --max-disk', async () => {
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

it('serves a removed render again with the same bytes and without a charge [I176]', async () => {
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
