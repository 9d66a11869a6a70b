import { expect, it } from 'vitest';
import { extras } from '../scripts/extras.mjs';

/** How many files beside the lists and an extra's own users miss it when it is left out. May only fall. */
const OTHERS = {
  'control/lies': 1,
  'control/trace': 1,
  'control/orders with control/search': 2,
  check: 4,
  dashboard: 0,
  client: 2,
};

it('has extras that few files miss when one is left out', { timeout: 1_200_000 }, () => {
  const found = extras();
  expect(found.map(({ name }) => name)).toEqual(Object.keys(OTHERS));
  const most = new Map<string, number>(Object.entries(OTHERS));
  const missed = found.filter(({ name, others }) => others.length > (most.get(name) ?? 0));
  expect(missed).toEqual([]);
});
