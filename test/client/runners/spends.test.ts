import { expect, it } from 'vitest';
import { spends, test } from '../../../src/client/runners/vitest.ts';
import { runNode } from './failed-suite.ts';
import { failsBySpend } from './spends-suite.ts';

/** The other runners are in the long run. */
it('fails a test of node:test that has cost something else, with the rows of the ledger', () =>
  failsBySpend('node:test', runNode('tap')));

spends({ credits: 6, refunds: 1 }, test)(
  'waits for the renders of a test before it says what that has cost',
  ({ emulator, account }) =>
    fetch(`${emulator.baseUrl}/music/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'a waltz [[fail:take=2]]', seconds: 60, n: 2 }),
    }),
);

it.each([[{}], [{ credit: 1 }], [1.5], ['12']])('refuses %j, which is no spend', (wrong) => {
  const wanted = wrong as object;
  expect(() => spends(wanted, test)).toThrow('spends expects {credits, refunds}, whole numbers');
});
