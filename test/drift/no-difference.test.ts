import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { world } from '../support/world.ts';
import { drift } from './stand-in.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'drift-'));

it.each([
  ['another seed and a profile of durations', { seed: 7, profile: 'production' }, '0'],
  ['strict', { strict: true }, '30'],
])('finds no difference in an emulator with %s', async (_what, options, budget) => {
  const standIn = await world(options);
  const account = await standIn.account({ credits: 500 });
  const { exitCode, found } = await drift(folder, { url: standIn.url, key: account.key }, ['--budget', budget]);
  expect(found).toEqual([]);
  expect(exitCode).toBe(0);
});
