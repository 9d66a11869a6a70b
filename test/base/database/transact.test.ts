import { expect, it } from 'vitest';
import type { Transaction } from '../../../src/base/database/transaction.ts';
import { roomOf } from '../../support/full-disk.ts';
import { openDatabase } from '../../support/open-database.ts';

const write = (name: string) => (tx: Transaction) =>
  tx.run('INSERT INTO settings (name, value) VALUES (?, ?)', name, '1');

function openNames(options: Parameters<typeof openDatabase>[0] = {}) {
  const bench = openDatabase(options);
  const names = () =>
    bench.database.all<{ name: string }>('SELECT name FROM settings ORDER BY name').map(({ name }) => name);
  return { ...bench, names };
}

it('resolves after the commit; until then readers see only committed state', async () => {
  const { database, names } = openNames();
  const written = database.transact((tx) => {
    write('a')(tx);
    expect(tx.all('SELECT name FROM settings')).toEqual([{ name: 'a' }]);
    return 'done';
  });
  expect(names()).toEqual([]);
  expect(await written).toBe('done');
  expect(names()).toEqual(['a']);
});

it('undoes one failed transaction of a shared commit and keeps the others', async () => {
  const { database, names } = openNames();
  const outcomes = await Promise.allSettled([
    database.transact(write('a')),
    database.transact((tx) => {
      write('b')(tx);
      throw new Error('no b');
    }),
    database.transact(write('a')),
    database.transact(write('c')),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
  expect(names()).toEqual(['a', 'c']);
});

it('shows a transaction what earlier transactions of the same commit wrote', async () => {
  const { database } = openNames();
  const count = (tx: Transaction) => tx.get<{ n: number }>('SELECT COUNT(*) AS n FROM settings')?.n;
  const [, second] = await Promise.all([
    database.transact(write('a')),
    database.transact((tx) => [count(tx), write('b')(tx), count(tx)]),
  ]);
  expect(second).toEqual([1, 1, 2]);
});

it('runs commit hooks in order, after the commit and before the response, but no hook of a failed transaction', async () => {
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

it('resolves every transaction of a commit and runs the other hooks if a hook throws', async () => {
  const errors: unknown[] = [];
  const { database, names } = openNames({ onHookError: (error) => errors.push(error) });
  const seen: string[] = [];
  const written = ['a', 'b', 'c'].map((name) =>
    database.transact((tx) => {
      write(name)(tx);
      tx.onCommit(() => {
        seen.push(name);
        if (name !== 'c') throw new Error(`the hook of ${name}`);
      });
      tx.onCommit(() => seen.push(`${name} again`));
      return name;
    }),
  );
  expect(await Promise.all(written)).toEqual(['a', 'b', 'c']);
  expect(names()).toEqual(['a', 'b', 'c']);
  expect(seen).toEqual(['a', 'a again', 'b', 'b again', 'c', 'c again']);
  expect(errors).toEqual([new Error('the hook of a'), new Error('the hook of b')]);
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

it('rejects every transaction if the shared commit fails, and runs no hook', async () => {
  const { database, names } = openNames();
  const hooks: string[] = [];
  const outcomes = await Promise.allSettled([
    database.transact((tx) => {
      tx.onCommit(() => hooks.push('a'));
      write('a')(tx);
    }),
    database.transact((tx) => {
      // A reference that is checked at the commit alone, to what is not there.
      tx.run('PRAGMA defer_foreign_keys = ON');
      tx.run("INSERT INTO keys (id, account_id, hash, created) VALUES ('k', 'none', 'h', 0)");
    }),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect([hooks, names()]).toEqual([[], []]);
  await database.transact(write('b'));
  expect(names()).toEqual(['b']);
});

it('commits at once when the database is flushed, as at a reset or a stop', async () => {
  const { database, names } = openNames();
  const written = database.transact(write('a'));
  database.flush();
  expect(names()).toEqual(['a']);
  await written;
});

it('commits a full group of transactions at once, and the rest at the end of the turn', async () => {
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

it('uses one time for everything that a transaction writes', async () => {
  const { database, clock } = openNames();
  await clock.set({ now: 1000, frozen: true });
  expect(await database.transact((tx) => [tx.now, tx.now])).toEqual([1000, 1000]);
});

it('rejects a write by a reader of the database', () => {
  const { database } = openNames();
  expect(() => database.all("INSERT INTO settings VALUES ('a', '1') RETURNING name")).toThrow(
    /readonly|read-only|storage/i,
  );
});

it('rejects a transaction after the database was closed', async () => {
  const bench = openNames();
  bench.database.close();
  await expect(bench.database.transact(write('a'))).rejects.toThrow();
});

/** Never run: the compiler is the test. */
function compileOnly({ database }: ReturnType<typeof openDatabase>): void {
  // @ts-expect-error a promise would leave a gap in which others write
  void database.transact(async () => 1);
  // @ts-expect-error so would one that is only returned
  void database.transact(() => Promise.resolve());
  // @ts-expect-error whoever reads only cannot write
  write('a')(database);
  void database.transact(() => 1);
}

it('accepts only synchronous functions as transactions, which the compiler checks', () => {
  expect(compileOnly).toBeTypeOf('function');
});

const writeMuch =
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

it('reports an error to every transaction if SQLite abandons the commit, and writes nothing [I170]', async () => {
  const { database, names } = await openFull();
  const outcomes = await Promise.allSettled([
    database.transact(writeMuch('a')),
    database.transact((tx) => {
      writeMuch('b')(tx);
      // What SQLite does by itself on an error of the disk.
      tx.run('ROLLBACK');
      throw new Error('the disk is gone');
    }),
    database.transact(writeMuch('c')),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  expect(names()).toEqual(['c']);
});
