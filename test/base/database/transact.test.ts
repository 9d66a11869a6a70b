import { expect, it } from 'vitest';
import type { Transaction } from '../../../src/base/database/transaction.ts';
import { roomOf } from '../../support/full-disk.ts';
import { openDatabase } from '../../support/open-database.ts';

const write = (name: string) => (tx: Transaction) =>
  tx.run('INSERT INTO settings (name, value) VALUES (?, ?)', name, '1');

function openNames() {
  const bench = openDatabase();
  const names = () =>
    bench.database.all<{ name: string }>('SELECT name FROM settings ORDER BY name').map(({ name }) => name);
  return { ...bench, names };
}

it('runs commit hooks in order, after the commit and before the transaction resolves, but no hook of a failed one', async () => {
  const { database, names } = openNames();
  const seen: unknown[] = [];
  const failed = database.transact((tx) => {
    tx.onCommit(() => seen.push('never'));
    throw new Error('no');
  });
  const good = database.transact((tx) => {
    write('a')(tx);
    tx.onCommit(() => seen.push(names()));
    tx.onCommit(() => seen.push('second'));
  });
  await expect(failed).rejects.toThrow('no');
  expect(seen).toEqual([]);
  await good.then(() => seen.push('answered'));
  expect(seen).toEqual([['a'], 'second', 'answered']);
});

it('rejects a hook, a read or a write after the transaction function has returned', async () => {
  const { database, names } = openNames();
  let kept: Transaction | undefined;
  await database.transact((tx) => {
    kept = tx;
  });
  const ended = /This transaction has ended/;
  expect(() => kept?.onCommit(() => undefined)).toThrow(ended);
  expect(() => kept?.get('SELECT 1')).toThrow(ended);
  expect(() => kept?.all('SELECT 1')).toThrow(ended);
  expect(() => kept && write('late')(kept)).toThrow(ended);
  expect(names()).toEqual([]);
});

it('commits the first 64 of 80 transactions immediately, as a full group, and the others later', async () => {
  const { database, names } = openNames();
  const many = Array.from({ length: 80 }, (_, n) => `name ${n + 10}`);
  const written = Promise.all(many.map((name) => database.transact(write(name))));
  expect(names()).toEqual(many.slice(0, 64));
  await written;
  expect(names()).toEqual(many);
});

it('rejects a transaction inside another one, and undoes the outer one', async () => {
  const { database, names } = openNames();
  const nested = database.transact((tx) => {
    write('a')(tx);
    void database.transact(write('b'));
  });
  await expect(nested).rejects.toThrow('begins another');
  await database.transact(write('c'));
  expect(names()).toEqual(['c']);
});

it('rejects a read of the database whose statement writes', () => {
  const { database } = openNames();
  expect(() => database.all("INSERT INTO settings VALUES ('a', '1') RETURNING name")).toThrow(
    /readonly|read-only|storage/i,
  );
});

const writeMuch =
  (name: string, length = 1) =>
  (tx: Transaction) =>
    tx.run('INSERT INTO settings (name, value) VALUES (?, ?)', name, 'x'.repeat(length));

/** A database that cannot grow by even one page. */
async function openFull() {
  const { database } = openDatabase();
  await roomOf(database).bound();
  const names = () => database.all<{ name: string }>('SELECT name FROM settings').map(({ name }) => name);
  return { database, names };
}

it('reports a full disk to every caller whose writes were undone, and continues with the next transaction [I170]', async () => {
  const { database, names } = await openFull();
  const outcomes = await Promise.allSettled([
    database.transact(writeMuch('a')),
    database.transact(writeMuch('huge', 1_000_000)),
    database.transact(writeMuch('b')),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  const full = { reason: { code: 'storage_full' } };
  expect(outcomes).toMatchObject([full, full, {}]);
  expect(names()).toEqual(['b']);
});

it('reports an error to each transaction that SQLite rolls back by itself, and commits the next one', async () => {
  const { database, names } = await openFull();
  const outcomes = await Promise.allSettled([
    database.transact(writeMuch('a')),
    database.transact((tx) => {
      writeMuch('b')(tx);
      // SQLite itself rolls back after some disk errors.
      tx.run('ROLLBACK');
      throw new Error('the disk is gone');
    }),
    database.transact(writeMuch('c')),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  expect(names()).toEqual(['c']);
});
