import { expect, it } from 'vitest';
import { OWN_RENDERS, world } from '../support/world.ts';
import { fillDisk } from './full-disk.ts';
import { endLives } from './lives.ts';
import { rush } from './parallel-rush.ts';
import { replaceUnderLoad } from './replaced-state.ts';
import { stormRequests } from './request-storm.ts';
import { moveClockWildly } from './wild-clock.ts';

/** A few seeds of each part of `npm run proof`, which takes hours. */
const here = await world({ settleAfter: 0.05 }, OWN_RENDERS);

it.each([7, 101])(
  'loses no credit, job or event after each of ten SIGKILLs under load, seed %i [I062 I106 I027 I136 I211 R005 R217]',
  async (seed) => {
    expect(await endLives(seed, { lives: 10, signal: 'SIGKILL' })).toEqual({ count: 10 });
  },
);

it('responds to 600 mutated requests as its OpenAPI document says, without an internal error [I017]', async () => {
  expect(await stormRequests(7, 600)).toMatchObject({ count: 600 });
});

it('charges those of 200 parallel requests that it serves, and no others [I026 R004]', async () => {
  expect(await rush(here, 8)).toEqual({ count: 200 });
});

it('ends every job once while the clock is moved at random [I086]', async () => {
  expect(await moveClockWildly(here, 7, 8)).toEqual({ count: 8 });
});

it('has exactly the state of a snapshot after it is restored under load [I140 I190]', async () => {
  expect(await replaceUnderLoad(7, 1)).toEqual({ count: 1 });
});

it.each([1, 25, 96])('keeps no credit for a request that a full disk prevented, seed %i [I170]', async (seed) => {
  expect(await fillDisk(seed)).toEqual({ count: 1 });
});
