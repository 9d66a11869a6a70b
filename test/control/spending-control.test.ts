import { expect, it } from 'vitest';
import { CHAT, expectError } from '../support/wire.ts';
import { type TestAccount, world } from '../support/world.ts';

const emulator = await world();

const setBudget = ({ id }: TestAccount, credits: unknown) =>
  emulator.control('PUT', `/accounts/${id}/budget`, { credits });

async function budgetOf({ id }: TestAccount) {
  return (await emulator.control('GET', `/accounts/${id}`)).body.budget;
}

it('answers 402 to what would exceed a budget, charging nothing, and marks the account', async () => {
  const account = await emulator.account({ credits: 1000 });
  const { status, body } = await setBudget(account, 2);
  expect(status).toBe(200);
  expect(body).toEqual({
    account_id: account.id,
    budget: {
      ...{ credits: 2, spent: 0, left: 2, refused: 0, refused_at: null },
      since: expect.any(Number),
    },
  });
  const statuses = [];
  for (let n = 0; n < 3; n += 1) statuses.push((await account.post('/chat/completions', CHAT)).status);
  expect(statuses).toEqual([200, 200, 402]);
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 950', 'charge -1', 'charge -1']);
  expect(await budgetOf(account)).toMatchObject({
    ...{ spent: 2, left: 0, refused: 1, refused_at: expect.any(Number) },
  });
  const refused = await account.post('/chat/completions', CHAT);
  expect(expectError(refused, 402, 'insufficient_credits').message).toContain('budget of 2');
});

it('begins a batch as a whole or not at all, and gives refunds back to the budget', async () => {
  const account = await emulator.account({ credits: 1000 });
  await setBudget(account, 11);
  const song = { style: 'slow piano', instrumental: true, seconds: 60, n: 2 };
  expectError(await account.post('/music/generations', song), 402, 'insufficient_credits');
  expect(await account.jobs()).toEqual([]);
  for (let n = 0; n < 3; n += 1) await account.post('/images/generations', { prompt: `[[fail]] pier ${n}` });
  expect(await budgetOf(account)).toMatchObject({ spent: 0, left: 11, refused: 1 });
  expect(await account.events()).toEqual(Array(3).fill('image.generation.failed'));
});

it('counts from when a budget is set, and ends with null', async () => {
  const account = await emulator.account({ credits: 1000 });
  await account.post('/chat/completions', CHAT);
  await setBudget(account, 0);
  expect((await account.post('/chat/completions', CHAT)).status).toBe(402);
  expect((await setBudget(account, 1)).body.budget).toMatchObject({ spent: 0, refused: 0 });
  expect((await account.post('/chat/completions', CHAT)).status).toBe(200);
  expect((await account.post('/chat/completions', CHAT)).status).toBe(402);
  expect((await setBudget(account, null)).body.budget).toBeNull();
  expect((await account.post('/chat/completions', CHAT)).status).toBe(200);
  expect(await account.balance()).toBe(997);
  expect(await budgetOf(account)).toBeNull();
});

it('lets no more of many requests at once through than the budget holds', async () => {
  const account = await emulator.account({ credits: 1000 });
  await setBudget(account, 7);
  const answers = await Promise.all(Array.from({ length: 20 }, () => account.post('/chat/completions', CHAT)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(7);
  expect(await account.balance()).toBe(993);
  expect(await budgetOf(account)).toMatchObject({ spent: 7, refused: 13 });
});

it('keeps budgets in snapshots, and forgets them at a reset', async () => {
  const here = await world();
  const account = await here.account({ credits: 100 });
  await here.control('PUT', `/accounts/${account.id}/budget`, { credits: 1 });
  await here.control('POST', '/snapshots', { name: 'limited' });
  await here.control('POST', '/reset');
  const { body } = await here.control('GET', '/accounts');
  expect(body.data.map(({ budget }: { budget: unknown }) => budget)).toEqual([null]);
  await here.control('POST', '/snapshots/limited/restore');
  const statuses = [];
  for (let n = 0; n < 2; n += 1) statuses.push((await account.post('/chat/completions', CHAT)).status);
  expect(statuses).toEqual([200, 402]);
  expect(await here.invariants()).toMatchObject({ ok: true });
});

it.each([[-1], [1.5], ['9'], [undefined]])('refuses a budget of %j', async (credits) => {
  const account = await emulator.account();
  expectError(await setBudget(account, credits), 400, 'invalid_request', 'credits');
  expect(await budgetOf(account)).toBeNull();
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
