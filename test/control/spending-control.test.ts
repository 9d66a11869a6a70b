import { expect, it } from 'vitest';
import { CHAT, expectError } from '../support/wire.ts';
import { world } from '../support/world.ts';

const emulator = await world();

it('answers 402 where a fault rule says so, charging nothing', async () => {
  const account = await emulator.account({ credits: 1000 });
  const match = { path: '/v1/chat/completions', account_id: account.id };
  const effect = { status: 402, code: 'insufficient_credits' };
  expect((await emulator.control('POST', '/faults', { match, effect })).status).toBe(201);
  expectError(await account.post('/chat/completions', CHAT), 402, 'insufficient_credits');
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 950']);
});

it('sums up what an account was charged by operation and model, the dearest first', async () => {
  const account = await emulator.account({ credits: 1000 });
  await account.post('/chat/completions', CHAT);
  await account.post('/chat/completions', { ...CHAT, model: 'svc-rp-plus' });
  await account.post('/chat/completions', CHAT);
  await account.post('/images/generations', { prompt: '[[fail]] a pier' });
  await account.post('/images/generations', { prompt: 'a pier' });
  const path = `/accounts/${account.id}/usage/summary`;
  const { body } = await emulator.control('GET', path);
  const row = (charges: number, charged: number, refunds = 0, refunded = 0) => ({
    ...{ charges, charged, refunds, refunded, credits: charged - refunded },
  });
  expect(body).toEqual({
    account_id: account.id,
    data: [
      { operation: 'image.generation', model: expect.any(String), ...row(2, 20, 1, 10) },
      { operation: 'chat.completion', model: 'svc-rp-plus', ...row(1, 3) },
      { operation: 'chat.completion', model: 'svc-rp-mini', ...row(2, 2) },
    ],
    total: row(5, 25, 1, 10),
  });
  const later = await emulator.control('GET', `${path}?since=2999-01-01T00:00:00Z`);
  expect(later.body).toMatchObject({ data: [], total: row(0, 0) });
});

it('sums what all accounts were charged, by account, model and day, net of refunds', async () => {
  const own = await world();
  const [first, second] = [await own.account({ credits: 1000 }), await own.account({ credits: 1000 })];
  await first.post('/chat/completions', CHAT);
  await first.post('/images/generations', { prompt: 'a pier' });
  await first.post('/images/generations', { prompt: '[[fail]] a pier' });
  await own.control('POST', '/clock/advance', { seconds: 86_400 });
  await second.post('/images/generations', { prompt: 'a kite' });
  const { body } = await own.control('GET', '/spending');
  const sums = { charges: 4, refunds: 1, charged: 31, refunded: 10, credits: 21 };
  expect(body.total).toEqual({ accounts: 2, ...sums });
  expect(body.accounts).toMatchObject([
    { account_id: first.id, credits: 11 },
    { account_id: second.id, credits: 10 },
  ]);
  expect(body.models).toMatchObject([
    { operation: 'image.generation', charges: 3, refunded: 10, credits: 20 },
    { operation: 'chat.completion', credits: 1 },
  ]);
  expect(body.days.map(({ credits }: { credits: number }) => credits)).toEqual([10, 11]);
  const since = `${body.days[0].day}T12:00:00Z`;
  expect((await own.control('GET', `/spending?since=${since}`)).body.total).toMatchObject({ accounts: 1, credits: 10 });
  const one = await own.control('GET', `/spending?account_id=${first.id}`);
  expect(one.body.total).toMatchObject({ accounts: 1, credits: 11 });
});
