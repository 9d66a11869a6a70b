import { expect } from 'vitest';
import { expectSpend, spends, test } from '../../../src/client/runners/vitest.ts';
import { CHAT } from '../../support/wire.ts';
import { postAs } from '../post-as.ts';

test('gives each test an account with 1,000 credits on the studio plan', async ({ emulator, account }) => {
  expect(await emulator.control.showAccount({ id: account.id })).toMatchObject({ plan: 'studio', credits: 1000 });
  await expect(account).toHaveSpent({ credits: 0, refunds: 0 });
});

test('measures the cost of a function, and throws with the ledger if the cost is wrong', async ({
  emulator,
  account,
}) => {
  await postAs(account, emulator, '/chat/completions', CHAT);
  const work = () => postAs(account, emulator, '/chat/completions', CHAT);
  await expect(expectSpend(account, { credits: 3 }, work)).rejects.toThrow(
    /^Expected 3 credits spent, got 1 credit spent and 0 refunds:\n {2}charge -1 \(chat.completion\), balance 998$/,
  );
  const spend = await expectSpend(account, { credits: 1, refunds: 0 }, work);
  expect(spend.entries.map(({ amount }) => amount)).toEqual([-1]);
});

test('waits until the jobs of a function have ended before it compares the cost of the function', async ({
  emulator,
  account,
}) => {
  const song = { prompt: 'a waltz [[fail:take=2]]', seconds: 30, n: 2 };
  const spend = await expectSpend(account, { credits: 3, refunds: 1 }, () =>
    postAs(account, emulator, '/music/generations', song),
  );
  expect(spend.entries.map(({ type }) => type)).toEqual(['charge', 'charge', 'refund']);
});

test('rejects a value that is not an account, and an invalid cost', async ({ account }) => {
  await expect(expect('me').toHaveSpent({ credits: 1 })).rejects.toThrow('toHaveSpent is for an account');
  const wrong = { credit: 1 } as object;
  await expect(expect(account).toHaveSpent(wrong)).rejects.toThrow('toHaveSpent expects {credits, refunds}');
  for (const cost of [{}, wrong, 1.5, '12' as never]) {
    expect(() => spends(cost, test)).toThrow('spends expects {credits, refunds}, whole numbers');
  }
  await expect(expect(account).toHaveDelivered('')).rejects.toThrow('toHaveDelivered expects an event type');
});

test('offers matchers for spending, failures and refunds of an account', async ({ emulator, account }) => {
  const failing = { prompt: '[[fail:render_failed]] a barn' };
  expect((await postAs(account, emulator, '/images/generations', failing)).status).toBe(502);
  await expect(expect(account).toHaveSpent({ credits: 10 })).rejects.toThrow(/refund 10/);
  await expect(account).toHaveSpent({ credits: 0, refunds: 1 });
  await expect(account).toHaveFailed('render_failed');
  await expect(account).not.toHaveFailed('content_blocked');
});

test('keeps the costs of two accounts of one test apart', async ({ emulator, account }) => {
  const other = await emulator.account();
  await postAs(other, emulator, '/chat/completions', CHAT);
  await expect(account).toHaveSpent({ credits: 0 });
  await expect(other).toHaveSpent({ credits: 1 });
});

spends({ credits: 3, refunds: 1 }, test)(
  'waits until the jobs of a test have ended before spends() checks the cost',
  ({ emulator, account }) =>
    postAs(account, emulator, '/music/generations', { prompt: 'a waltz [[fail:take=2]]', seconds: 30, n: 2 }),
);
