import { expect, it } from 'vitest';
import { Pace } from '../../../src/engine/flows/flows.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it('lets a few through in each turn, first come first served, and has no wait when it is quiet', async () => {
  const pace = new Pace(2);
  const through: number[] = [];
  const pass = async (n: number) => {
    await pace.turn();
    through.push(n);
  };
  const all = Promise.all([1, 2, 3, 4, 5].map(pass));
  await Promise.resolve();
  expect(through).toEqual([1, 2]);
  await nextTurn();
  expect(through).toEqual([1, 2, 3, 4]);
  await all;
  expect(through).toEqual([1, 2, 3, 4, 5]);
  await nextTurn();
  await nextTurn();
  await pass(6);
  expect(through.at(-1)).toBe(6);
});
