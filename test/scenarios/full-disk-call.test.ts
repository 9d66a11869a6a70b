import { expect, it, onTestFinished } from 'vitest';
import { Database } from '../../src/database/database.ts';
import { CHAT, expectError } from '../support/wire.ts';
import { world } from '../support/world.ts';

const { transact } = Database.prototype;
let database: Database | undefined;
Database.prototype.transact = function watched(this: Database, work) {
  database = this;
  return transact.call(this, work) as never;
};
const here = await world();
await here.account();
Database.prototype.transact = transact;

/** The database may grow by no page: the disk is full. */
async function setPages(count: number): Promise<void> {
  await database?.transact((tx) => tx.get(`PRAGMA max_page_count = ${count}`));
}

function upload(): FormData {
  const form = new FormData();
  form.set('file', new Blob(['hello']), 'hello.txt');
  return form;
}

it.each<[string, () => unknown, number]>([
  ['/chat/completions', () => CHAT, 1],
  ['/storage/objects', upload, 2],
])(
  'charges nothing for a call of %s that a full disk refuses, and serves the next [I170]',
  async (path, body, credits) => {
    const account = await here.account({ credits: 10_000 });
    onTestFinished(() => setPages(1_000_000_000));
    await setPages(1);
    // The pages that there are have some room left: that is used up first.
    let answer = await account.post(path, body());
    let served = 0;
    for (; answer.status === 200; served += 1) answer = await account.post(path, body());
    expectError(answer, 507, 'storage_full');
    const paid = Array.from({ length: served }, () => `charge -${credits}`);
    expect((await account.ledger()).slice(2)).toEqual(paid);
    await setPages(1_000_000_000);
    expect((await account.post(path, body())).status).toBe(200);
    expect(await account.balance()).toBe(10_000 - credits * (served + 1));
    expect(await here.invariants()).toMatchObject({ ok: true });
  },
);
