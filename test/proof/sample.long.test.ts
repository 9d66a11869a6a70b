import { expect, it } from 'vitest';
import { fillDisk } from './full-disk.ts';
import { stormRequests } from './request-storm.ts';

it('answers 600 mutated requests, none of them with a bug', async () => {
  expect(await stormRequests(7, 600)).toMatchObject({ count: 600 });
});

it.each([1, 96])('takes no credit for what a full disk refused, write %i', async (seed) => {
  expect(await fillDisk(seed)).toEqual({ count: 1 });
});
