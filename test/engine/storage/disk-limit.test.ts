import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { findFile } from '../../../src/engine/storage/file-store.ts';
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
