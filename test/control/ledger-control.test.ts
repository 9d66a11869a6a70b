import { expect, it } from 'vitest';
import { CHAT, expectError } from '../support/wire.ts';
import { world } from '../support/world.ts';

const emulator = await world();

it('shows one ledger entry, a charge with its refund and a refund with its charge', async () => {
  const account = await emulator.account({ credits: 1000 });
  await account.post('/images/generations', { prompt: '[[fail]] a pier' });
  const [, , charge, refund] = await account.entries();
  const show = async (id = '') => (await emulator.control('GET', `/ledger/${id}`)).body;
  expect(await show(charge?.id)).toEqual({
    ...charge,
    account_id: account.id,
    refunded_by: refund?.id,
  });
  expect(await show(refund?.id)).toMatchObject({ refund_of: charge?.id, refunded_by: null });
  const missing = await emulator.control('GET', '/ledger/le_0123456789abcdef01234567');
  expect(expectError(missing, 404, 'not_found').message).toContain('le_0123');
});

it('reports how a balance moved, with few points however many entries there are', async () => {
  const account = await emulator.account({ credits: 1000 });
  for (let sent = 0; sent < 10; sent += 1) await account.post('/chat/completions', CHAT);
  const path = `/accounts/${account.id}/balance`;
  const all = (await emulator.control('GET', path)).body;
  const balances = ({ data }: { data: { balance: number }[] }) => data.map(({ balance }) => balance);
  expect(all).toMatchObject({ account_id: account.id, entries: 12, start: 0 });
  expect(balances(all)).toEqual([50, 1000, 999, 998, 997, 996, 995, 994, 993, 992, 991, 990]);
  const few = (await emulator.control('GET', `${path}?points=3`)).body;
  expect([few.entries, balances(few)]).toEqual([12, [998, 994, 990]]);
});

it('reports how a balance moved since a time, and what stood before', async () => {
  const own = await world();
  const account = await own.account({ credits: 1000 });
  await own.control('PUT', '/clock', { frozen: true });
  await account.post('/chat/completions', CHAT);
  await own.advance(3600);
  const { now: since } = (await own.control('GET', '/clock')).body;
  await account.post('/chat/completions', CHAT);
  const query = (time: string) => `/accounts/${account.id}/balance?since=${time}`;
  const created = Math.floor(Date.parse(since) / 1000);
  expect((await own.control('GET', query(since))).body).toMatchObject({
    ...{ entries: 1, start: 999, data: [{ created, balance: 998 }] },
  });
  expect((await own.control('GET', query('9000-01-01T00:00:00Z'))).body).toMatchObject({
    ...{ entries: 0, start: 998, data: [] },
  });
});
