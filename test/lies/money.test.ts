import { expect, it } from 'vitest';
import { world } from '../support/world.ts';

const emulator = await world();

it('tells that nothing was spent, and shows the truth in the journal [R002]', async () => {
  const [account, neighbour] = [await emulator.account({ credits: 50 }), await emulator.account({ credits: 50 })];
  const rule = await emulator.control('POST', '/faults', {
    match: { account_id: account.id },
    effect: { lie: 'spent.zero' },
  });
  expect(rule.body).toMatchObject({ times: 0, remaining: null });
  const order = { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Hello' }] };
  const told = await account.post('/chat/completions', order);
  expect(told.body.usage).toEqual({ credits_spent: 0, credits_remaining: 49 });
  const other = await neighbour.post('/chat/completions', order);
  expect(other.body.usage).toEqual({ credits_spent: 1, credits_remaining: 49 });
});
