import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { VirtualClock } from '../../../src/base/clock/virtual-clock.ts';
import { type SandboxEmulator, SandboxPool } from '../../../src/check/runner/sandbox.ts';

it('removes the temporary folder of a run whose emulator was still starting when check closed its emulators', async () => {
  const folders: string[] = [];
  let started = () => {};
  const starting = new Promise<void>((resolve) => {
    started = resolve;
  });
  const emulator: SandboxEmulator = {
    ...{ url: 'http://127.0.0.1:1', key: 'key', control: async () => ({ data: [], has_more: false }) },
    ...{ spend: () => [], isReset: () => false, close: async () => {} },
  };
  const openEmulator = async (folder: string) => {
    folders.push(path.dirname(folder));
    await starting;
    return emulator;
  };
  const commands = { env: {}, tests: 'true', start: undefined, ready: undefined, assert: undefined };
  const options = { commands, clock: new VirtualClock(), openEmulator, jobs: 1, sharesPort: false };
  const pool = new SandboxPool(options, () => {});
  pool.prepare();
  const taken = pool.take(true);
  const closed = pool.close();
  started();
  await Promise.all([taken, closed]);
  expect(folders.map((folder) => existsSync(folder))).toEqual([false]);
});
