import { expect, it } from 'vitest';
import { charge, type Entry, refund } from '../../../src/engine/ledger/ledger.ts';
import { auditLedger } from '../../../src/engine/ledger/ledger-audit-store.ts';
import { openDatabase } from '../../support/open-database.ts';

/** A ledger with a charge that stands and one that is refunded, and a second account. */
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
  ['a refund of what is not there', `'refund', 3, 50, 'chat', 7, 0)`],
  ['a refund of less than was paid', `'refund', 2, 49, 'chat', :standing, 0)`],
  ['a refund of more than was paid', `'refund', 4, 51, 'chat', :standing, 0)`],
  ['a second refund', `'refund', 5, 52, 'chat', :refunded, 0)`],
  ['a charge that names another one', `'charge', -3, 44, 'chat', :standing, 0)`],
  ['half a credit', `'charge', -0.5, 46, 'chat', NULL, 0)`],
])('does not let the database take %s [I025 I026 I027]', async (_name, values) => {
  const { database, account, standing, refunded } = await openLedger();
  const sql = (INSERT + values)
    .replace(':account', `'${account.id}'`)
    .replace(':standing', String(standing?.n))
    .replace(':refunded', String(refunded?.n));
  await expect(database.transact((tx) => tx.run(sql))).rejects.toThrow(/constraint|ledger|refund|store/i);
  expect(database.get('SELECT COUNT(*) AS n FROM ledger')).toEqual({ n: 5 });
});

it('does not let one account be refunded what another one paid [I027]', async () => {
  const { database, other, standing } = await openLedger();
  const sql = `${INSERT}'refund', 3, 53, 'chat', ${standing?.n}, 0)`.replace(':account', `'${other.id}'`);
  await expect(database.transact((tx) => tx.run(sql))).rejects.toThrow(/same account/);
});

it.each([
  'UPDATE ledger SET amount = -1',
  "UPDATE ledger SET operation = 'free' WHERE type = 'charge'",
  'DELETE FROM ledger',
  "DELETE FROM ledger WHERE type = 'refund'",
])('does not let the database run %s [I025]', async (sql) => {
  const { database } = await openLedger();
  await expect(database.transact((tx) => tx.run(sql))).rejects.toThrow('the ledger is append-only');
  expect(database.get('SELECT COUNT(*) AS n, SUM(amount) AS sum FROM ledger')).toEqual({
    n: 5,
    sum: 97,
  });
});

it.each([
  ['a balance that is not the sum of its entries', `'top_up', 3, 99, NULL, NULL, 0)`],
  ['entries that are not numbered without a gap', `'top_up', 3, 50, NULL, NULL, 0)`],
])('finds %s [I026 I136]', async (_name, values) => {
  const { database, account } = await openLedger();
  const sql = (INSERT + values).replace(':account', `'${account.id}'`);
  await database.transact((tx) => tx.run(sql));
  expect((await auditLedger(database, account.id, async () => undefined)).isBalanced).toBe(false);
});

it('finds an entry whose balance does not follow from the one before [I136]', async () => {
  const { database, account } = await openLedger();
  const sql = `${INSERT}'top_up', 3, 99, NULL, NULL, 0)`.replace(':account', `'${account.id}'`);
  await database.transact((tx) => tx.run(sql));
  const { broken } = await auditLedger(database, account.id, async () => undefined);
  expect(broken).toEqual([`${account.id} entry 9`]);
});
