import { expect, it } from 'vitest';
import type { Transaction } from '../../../src/base/database/transaction.ts';
import { roomOf } from '../../support/full-disk.ts';
import { openDatabase } from '../../support/open-database.ts';

const write =
  (name: string, length = 1) =>
  (tx: Transaction) =>
    tx.run('INSERT INTO settings (name, value) VALUES (?, ?)', name, 'x'.repeat(length));

/** A database that may not grow by a page. */
async function openFull() {
  const { database } = openDatabase();
  await roomOf(database).bound();
  const names = () => database.all<{ name: string }>('SELECT name FROM settings').map(({ name }) => name);
  return { database, names };
}

it('reports all whose writes SQLite took back that the disk is full, and goes on with the next [I170]', async () => {
  const { database, names } = await openFull();
  const outcomes = await Promise.allSettled([
    database.transact(write('a')),
    database.transact(write('huge', 1_000_000)),
    database.transact(write('b')),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  const full = { reason: { code: 'storage_full' } };
  expect(outcomes).toMatchObject([full, full, {}]);
  expect(names()).toEqual(['b']);
});

it('reports all of a commit when SQLite has given it up as a whole, and writes nothing of it [I170]', async () => {
  const { database, names } = await openFull();
  const outcomes = await Promise.allSettled([
    database.transact(write('a')),
    database.transact((tx) => {
      write('b')(tx);
      // What SQLite does by itself on an error of the disk.
      tx.run('ROLLBACK');
      throw new Error('the disk is gone');
    }),
    database.transact(write('c')),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  expect(names()).toEqual(['c']);
});
