import { expect, it } from 'vitest';
import { spends, test } from '../../../src/client/runners/vitest.ts';
import { postAs } from '../post-as.ts';

spends({ credits: 3, refunds: 1 }, test)(
  'waits until the jobs of a test have ended before spends() checks the cost',
  ({ emulator, account }) =>
    postAs(account, emulator, '/music/generations', { prompt: 'a waltz [[fail:take=2]]', seconds: 30, n: 2 }),
);

it.each([[{}], [{ credit: 1 }], [1.5], ['12']])('rejects %j, which is not a valid cost', (wrong) => {
  const wanted = wrong as object;
  expect(() => spends(wanted, test)).toThrow('spends expects {credits, refunds}, whole numbers');
});
