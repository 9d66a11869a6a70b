import { expect, it } from 'vitest';
import { charge, refund } from '../../../src/engine/ledger/ledger.ts';
import { summarizeUsage } from '../../../src/engine/ledger/usage.ts';
import { numbers } from '../../scenarios/mixed-load.ts';
import { openDatabase } from '../../support/open-database.ts';
import { world } from '../../support/world.ts';

const MODELS = ['svc-rp-mini', 'svc-rp-plus', null] as const;

/** Within a day, so that its entries have to be looked at. */
const NOON = Date.UTC(2027, 0, 5, 12);

it('sums up six thousand charges as if they were one stretch, and lets others go on between', async () => {
  const { clock, database, random, accounts } = openDatabase();
  await clock.set({ now: NOON, frozen: true });
  const { account } = await accounts.open({ credits: 100_000 });
  const accountId = account.id;
  const refunded: number[] = [];
  await database.transact((tx) => {
    for (let n = 0; n < 6000; n += 1) {
      const model = MODELS[n % 3] ?? null;
      const order = { accountId, amount: 1 + (n % 3), operation: 'chat.completion', jobId: null };
      const { n: paid } = charge(tx, random, { ...order, model });
      if (n % 1000 === 0) refunded.push(paid);
    }
    // They stand in another stretch than most of their charges.
    for (const n of refunded) refund(tx, random, { accountId, n });
  });
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const rows = await summarizeUsage(database, accountId, NOON);
  isOver = true;
  expect(turns).toBeGreaterThanOrEqual(3);
  const row = (model: string | null, price: number, refunds: number) => ({
    ...{ operation: 'chat.completion', model, charges: 2000, charged: 2000 * price },
    ...{ refunds, refunded: refunds * price },
  });
  expect(rows).toEqual([row(null, 3, 2), row('svc-rp-plus', 2, 2), row('svc-rp-mini', 1, 2)]);
});

it('counts a charge from its very millisecond on, and its refund on the day of the charge', async () => {
  const { clock, database, random, accounts } = openDatabase();
  await clock.set({ now: NOON - 40 * 3_600_000, frozen: true });
  const { account } = await accounts.open({ credits: 1000 });
  const accountId = account.id;
  const times: number[] = [];
  const paid: number[] = [];
  for (let hour = 0; hour < 60; hour += 1) {
    const order = { accountId, amount: 2, operation: 'chat.completion', model: 'svc-rp-mini', jobId: null };
    const { n, created } = await database.transact((tx) => charge(tx, random, order));
    times.push(created);
    paid.push(n);
    await clock.advance(3_600_000);
  }
  for (const n of paid.slice(0, 10)) await database.transact((tx) => refund(tx, random, { accountId, n }));
  for (const [place, time] of times.entries()) {
    const charges = 60 - place;
    const refunds = Math.max(0, 10 - place);
    const kind = { operation: 'chat.completion', model: 'svc-rp-mini' };
    const sums = { charges, charged: 2 * charges, refunds, refunded: 2 * refunds };
    expect(await summarizeUsage(database, accountId, time)).toEqual([{ ...kind, ...sums }]);
    const later = await summarizeUsage(database, accountId, time + 1);
    expect(later.map((row) => row.charges)).toEqual(charges > 1 ? [charges - 1] : []);
  }
});

it('counts what was charged before the clock was moved back', async () => {
  const { clock, database, random, accounts } = openDatabase();
  await clock.set({ now: NOON, frozen: true });
  const { account } = await accounts.open({ credits: 1000 });
  const order = { accountId: account.id, amount: 2, operation: 'chat.completion', model: null, jobId: null };
  await database.transact((tx) => charge(tx, random, order));
  await clock.set({ now: NOON - 3 * 86_400_000 });
  await database.transact((tx) => charge(tx, random, order));
  await clock.set({ now: NOON });
  await database.transact((tx) => charge(tx, random, order));
  const since = (time: number) => summarizeUsage(database, account.id, time);
  expect((await since(NOON)).map(({ charges }) => charges)).toEqual([2]);
  expect((await since(NOON - 3 * 86_400_000)).map(({ charges }) => charges)).toEqual([3]);
});

const here = await world();
const DAY = 86_400;

it('reports the usage that the ledger adds up to, wherever the clock is set [R246]', async () => {
  const account = await here.account({ plan: 'studio', credits: 10_000 });
  const random = numbers(5);
  for (let n = 0; n < 40; n += 1) {
    const now = new Date(Date.UTC(2030, 0, 1) + (random.next().value % (60 * DAY)) * 1000);
    await here.control('PUT', '/clock', { now: now.toISOString(), frozen: true });
    await account.post('/audio/speech', { input: n % 3 === 0 ? 'Hello [[fail]]' : 'Hello', voice: 'aria' });
    const since = now.getTime() / 1000 - 30 * DAY;
    const entries = await account.entries();
    const charges = entries.filter(({ type, created }) => type === 'charge' && created >= since);
    const ids = charges.map(({ id }) => id);
    const counted = [...charges, ...entries.filter(({ refund_of }) => refund_of && ids.includes(refund_of))];
    const credits = counted.reduce((sum, { amount }) => sum - amount, 0);
    expect((await account.get('/account')).body.usage_30d).toEqual({ requests: charges.length, credits });
  }
});
