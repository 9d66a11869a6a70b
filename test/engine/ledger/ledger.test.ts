import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readLastNumberAndBalance } from '../../../src/base/database/ledger-store.ts';
import type { Reader } from '../../../src/base/database/reader.ts';
import type { Transaction } from '../../../src/base/database/transaction.ts';
import type { Random } from '../../../src/base/random.ts';
import { makeInvariantReport } from '../../../src/control/instance.ts';
import { auditLedger, listEntries } from '../../../src/engine/ledger/entry-store.ts';
import { charge, type Entry, refund, topUp } from '../../../src/engine/ledger/ledger.ts';
import { summarizeUsageByModel, sumUsage } from '../../../src/engine/ledger/usage.ts';
import { numbers } from '../../scenarios/mixed-load.ts';
import { openDatabase } from '../../support/open-database.ts';
import { world } from '../../support/world.ts';

const MODELS = ['svc-rp-mini', 'svc-rp-plus', null] as const;

/** In the middle of a day, so that the sum must read the entries of that day. */
const NOON = Date.UTC(2027, 0, 5, 12);

it('sums three thousand charges in parts, between which other work runs', async () => {
  const { clock, database, random, accounts } = openDatabase();
  await clock.set({ now: NOON, frozen: true });
  const { account } = await accounts.open({ credits: 100_000 });
  const accountId = account.id;
  const refunded: number[] = [];
  await database.transact((tx) => {
    for (let n = 0; n < 3000; n += 1) {
      const model = MODELS[n % 3] ?? null;
      const order = { accountId, amount: 1 + (n % 3), operation: 'chat.completion', jobId: null };
      const { n: paid } = charge(tx, random, { ...order, model });
      if (n % 1000 === 0) refunded.push(paid);
    }
    // The refunds are in a later part of the ledger than most of their charges.
    for (const n of refunded) refund(tx, random, { accountId, n });
  });
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const rows = await summarizeUsageByModel(database, accountId, NOON);
  isOver = true;
  expect(turns).toBeGreaterThanOrEqual(2);
  const row = (model: string | null, price: number, refunds: number) => ({
    ...{ operation: 'chat.completion', model, charges: 1000, charged: 1000 * price },
    ...{ refunds, refunded: refunds * price, credits: (1000 - refunds) * price },
  });
  expect(rows).toEqual([row(null, 3, 1), row('svc-rp-plus', 2, 1), row('svc-rp-mini', 1, 1)]);
});

it('counts a charge if usage is requested from its exact millisecond on, and a refund at the time of its charge', async () => {
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
    const credits = 2 * (charges - refunds);
    const sums = { charges, charged: 2 * charges, refunds, refunded: 2 * refunds, credits };
    expect(await summarizeUsageByModel(database, accountId, time)).toEqual([{ ...kind, ...sums }]);
    const later = await summarizeUsageByModel(database, accountId, time + 1);
    expect(later.map((row) => row.charges)).toEqual(charges > 1 ? [charges - 1] : []);
  }
});

it('continues a ledger from its last committed entry after a transaction or a commit has failed [I026]', async () => {
  const { database, random, accounts } = openDatabase();
  const { account } = await accounts.open({ credits: 100 });
  const accountId = account.id;
  const order = { accountId, amount: 3, operation: 'chat.completion', model: 'svc-rp-mini', jobId: null };
  const lines = [{ what: 'chat', credits: 3 }] as never;
  const pay = (tx: Transaction) => charge(tx, random, { ...order, lines }).n;
  const failing = [
    (tx: Transaction) => {
      pay(tx);
      throw new Error('before any statement');
    },
    (tx: Transaction) => {
      pay(tx);
      tx.get('SELECT 1');
      throw new Error('after a statement');
    },
    (tx: Transaction) => {
      pay(tx);
      // A reference to a missing row, which only the commit checks.
      tx.run('PRAGMA defer_foreign_keys = ON');
      tx.run("INSERT INTO keys (id, account_id, hash, created) VALUES ('k', 'none', 'h', 0)");
    },
  ];
  for (const [at, fail] of failing.entries()) {
    const [failed, other] = await Promise.allSettled([database.transact(fail), database.transact(pay)]);
    expect([failed?.status, other?.status]).toEqual(['rejected', at === 2 ? 'rejected' : 'fulfilled']);
  }
  expect(await database.transact(pay)).toBe(5);
  expect(readLastNumberAndBalance(database, accountId)).toEqual({ n: 5, balance: 91 });
  expect(await auditLedger(database, accountId, async () => undefined)).toMatchObject({ isBalanced: true, broken: [] });
});

it('includes in the usage a charge from before the clock was moved back', async () => {
  const { clock, database, random, accounts } = openDatabase();
  await clock.set({ now: NOON, frozen: true });
  const { account } = await accounts.open({ credits: 1000 });
  const order = { accountId: account.id, amount: 2, operation: 'chat.completion', model: null, jobId: null };
  await database.transact((tx) => charge(tx, random, order));
  await clock.set({ now: NOON - 3 * 86_400_000 });
  await database.transact((tx) => charge(tx, random, order));
  await clock.set({ now: NOON });
  await database.transact((tx) => charge(tx, random, order));
  const since = (time: number) => summarizeUsageByModel(database, account.id, time);
  expect((await since(NOON)).map(({ charges }) => charges)).toEqual([2]);
  expect((await since(NOON - 3 * 86_400_000)).map(({ charges }) => charges)).toEqual([3]);
});

const here = await world();
const DAY = 86_400;

it('reports the usage of the last 30 days that follows from the ledger, at any time to which the clock is set [R036 R246]', async () => {
  const account = await here.account({ plan: 'studio', credits: 10_000 });
  const random = numbers(5);
  for (let n = 0; n < 20; n += 1) {
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

/** An account with one standing and one refunded charge, and a second account. */
async function openLedger() {
  const bench = openDatabase();
  const { database, random, accounts } = bench;
  const { account } = await accounts.open({});
  const other = await accounts.open({});
  const order = { accountId: account.id, operation: 'chat.completion', model: null, jobId: null };
  const [standing, refunded] = await database.transact((tx) => [
    charge(tx, random, { ...order, amount: 3 }),
    charge(tx, random, { ...order, amount: 5 }),
  ]);
  await database.transact((tx) => refund(tx, random, refunded as Entry));
  return { database, account, other: other.account, standing, refunded };
}

const INSERT = `INSERT INTO ledger (n, account_id, type, amount, balance, operation, refund_of, created)
  VALUES (9, :account, `;

it.each([
  ['a charge of a positive amount', `'charge', 3, 45, 'chat', NULL, 0)`],
  ['a charge of nothing', `'charge', 0, 47, 'chat', NULL, 0)`],
  ['a charge without its operation', `'charge', -3, 44, NULL, NULL, 0)`],
  ['a grant of a negative amount', `'grant', -3, 44, NULL, NULL, 0)`],
  ['an entry of an unknown type', `'gift', 3, 50, NULL, NULL, 0)`],
  ['a negative balance', `'charge', -60, -13, 'chat', NULL, 0)`],
  ['a refund that names no charge', `'refund', 3, 50, 'chat', NULL, 0)`],
  ['a refund of an entry that does not exist', `'refund', 3, 50, 'chat', 7, 0)`],
  ['a refund of less than was paid', `'refund', 2, 49, 'chat', :standing, 0)`],
  ['a refund of more than was paid', `'refund', 4, 51, 'chat', :standing, 0)`],
  ['a second refund', `'refund', 5, 52, 'chat', :refunded, 0)`],
  ['a charge that names another one', `'charge', -3, 44, 'chat', :standing, 0)`],
  ['half a credit', `'charge', -0.5, 46, 'chat', NULL, 0)`],
])('rejects in the ledger %s [I025 I026 I027]', async (_name, values) => {
  const { database, account, standing, refunded } = await openLedger();
  const sql = (INSERT + values)
    .replace(':account', `'${account.id}'`)
    .replace(':standing', String(standing?.n))
    .replace(':refunded', String(refunded?.n));
  await expect(database.transact((tx) => tx.run(sql))).rejects.toThrow(/constraint|ledger|refund|store/i);
  expect(database.get('SELECT COUNT(*) AS n FROM ledger')).toEqual({ n: 5 });
});

it("rejects the refund of another account's charge [I027]", async () => {
  const { database, other, standing } = await openLedger();
  const sql = `${INSERT}'refund', 3, 53, 'chat', ${standing?.n}, 0)`.replace(':account', `'${other.id}'`);
  await expect(database.transact((tx) => tx.run(sql))).rejects.toThrow(/same account/);
});

it.each([
  'UPDATE ledger SET amount = -1',
  "UPDATE ledger SET operation = 'free' WHERE type = 'charge'",
  'DELETE FROM ledger',
  "DELETE FROM ledger WHERE type = 'refund'",
])('rejects %s in the database [I025]', async (sql) => {
  const { database } = await openLedger();
  await expect(database.transact((tx) => tx.run(sql))).rejects.toThrow('the ledger is append-only');
  expect(database.get('SELECT COUNT(*) AS n, SUM(amount) AS sum FROM ledger')).toEqual({ n: 5, sum: 97 });
});

it.each<[string, string, number[]]>([
  ['a balance that is not the sum of its entries', `'top_up', 3, 99, NULL, NULL, 0)`, [9]],
  ['a gap in the numbers of its entries', `'top_up', 3, 50, NULL, NULL, 0)`, []],
])('detects in the ledger %s [I026 I136]', async (_name, values, broken) => {
  const { database, account } = await openLedger();
  const sql = (INSERT + values).replace(':account', `'${account.id}'`);
  await database.transact((tx) => tx.run(sql));
  const audit = await auditLedger(database, account.id, async () => undefined);
  expect(audit).toMatchObject({ isBalanced: false, broken: broken.map((n) => `${account.id} entry ${n}`) });
});

type Step = { kind: 'charge' | 'top_up' | 'refund'; n: number };

const step = fc.record<Step>({
  kind: fc.constantFrom('charge', 'charge', 'charge', 'refund', 'refund', 'top_up'),
  n: fc.integer({ min: 1, max: 40 }),
});
/** Steps of one group share a commit. */
const groups = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { maxLength: 12 });

interface Game {
  accountId: string;
  model: Model;
  random: Random;
}

/** A simple model of the ledger, which the real ledger must match. */
class Model {
  balance = 50;
  entries = ['grant 50 50'];
  readonly charges: Entry[] = [];
  readonly refunded = new Set<string>();

  note(type: string, amount: number): void {
    this.balance += amount;
    this.entries.push(`${type} ${amount} ${this.balance}`);
  }

  get usage() {
    const kept = this.charges.filter(({ id }) => !this.refunded.has(id));
    const credits = kept.reduce((sum, entry) => sum - entry.amount, 0);
    return { requests: this.charges.length, credits };
  }
}

const PLAY: Record<Step['kind'], (tx: Transaction, game: Game, n: number) => void> = {
  top_up(tx, { accountId, model, random }, n) {
    topUp(tx, random, { accountId, amount: n });
    model.note('top_up', n);
  },
  charge(tx, { accountId, model, random }, n) {
    const order = { accountId, amount: n, operation: 'chat.completion', model: null, jobId: null };
    if (n > model.balance) {
      expect(() => charge(tx, random, order)).toThrow(`the balance is ${model.balance}`);
      return;
    }
    model.charges.push(charge(tx, random, order));
    model.note('charge', -n);
  },
  refund(tx, { model, random }, n) {
    const paid = model.charges[n % Math.max(1, model.charges.length)];
    if (!paid || model.refunded.has(paid.id)) return;
    refund(tx, random, paid);
    model.refunded.add(paid.id);
    model.note('refund', -paid.amount);
  },
};

it('computes the same balances as a simple model for any charges, refunds and top-ups [I024 I025 I026 I027]', async () => {
  const { database, random, accounts } = openDatabase();
  await fc.assert(
    fc.asyncProperty(groups, async (all) => {
      const { account } = await accounts.open({});
      const model = new Model();
      for (const group of all) {
        const played = group.map((each) =>
          database.transact((tx) => PLAY[each.kind](tx, { model, random, accountId: account.id }, each.n)),
        );
        await Promise.all(played);
      }
      const entries = entriesOf(database, account.id).toReversed();
      expect(entries.map(({ type, amount, balance }) => `${type} ${amount} ${balance}`)).toEqual(model.entries);
      expect(readLastNumberAndBalance(database, account.id).balance).toBe(model.balance);
      expect(await sumUsage(database, account.id, 0)).toEqual(model.usage);
    }),
    { seed: 20_260_101, numRuns: 150 },
  );
  expect(await makeInvariantReport({ database })).toMatchObject({ ok: true });
});

it('refunds a charge once, and rejects further attempts without a ledger entry [I027]', async () => {
  const { database, random, accounts } = openDatabase();
  const { account } = await accounts.open({});
  const order = { accountId: account.id, amount: 8, operation: 'chat.completion', model: null, jobId: null };
  const paid = await database.transact((tx) => charge(tx, random, order));
  const refunds = await Promise.allSettled(
    Array.from({ length: 5 }, () => database.transact((tx) => refund(tx, random, paid))),
  );
  expect(refunds.map(({ status }) => status).sort()).toEqual(['fulfilled', ...Array(4).fill('rejected')]);
  expect(readLastNumberAndBalance(database, account.id).balance).toBe(50);
  expect(entriesOf(database, account.id).map(({ amount }) => amount)).toEqual([8, -8, 50]);
  expect(await makeInvariantReport({ database })).toMatchObject({ ok: true });
});

it('keeps other charges of a shared commit if one of them fails [I026]', async () => {
  const { database, random, accounts } = openDatabase();
  const { account } = await accounts.open({});
  const order = { accountId: account.id, operation: 'chat.completion', model: null, jobId: null };
  const pay = (amount: number) => (tx: Transaction) => charge(tx, random, { ...order, amount }).balance;
  const fail = (write: boolean) => (tx: Transaction) => {
    pay(7)(tx);
    if (write) tx.run("INSERT INTO settings (name, value) VALUES ('gone', '1')");
    pay(9)(tx);
    throw new Error('no');
  };
  const outcomes = await Promise.allSettled(
    [pay(1), fail(false), pay(2), fail(true), pay(3), pay(60), fail(true)].map((work) => database.transact(work)),
  );
  const told = outcomes.map((each) => (each.status === 'fulfilled' ? each.value : 'failed'));
  expect(told).toEqual([49, 'failed', 47, 'failed', 44, 'failed', 'failed']);
  expect(entriesOf(database, account.id).map(({ amount }) => amount)).toEqual([-3, -2, -1, 50]);
  expect(await sumUsage(database, account.id, 0)).toEqual({ requests: 3, credits: 6 });
  expect(database.all('SELECT name FROM settings')).toEqual([]);
});

/** Newest first. */
function entriesOf(db: Reader, accountId: string) {
  return listEntries(db, accountId, { limit: 1000, before: Number.MAX_SAFE_INTEGER });
}
