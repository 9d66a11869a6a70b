import { expect, it, onTestFinished } from 'vitest';
import { boundedWorld } from '../support/full-disk.ts';
import { CHAT, expectError, fileForm } from '../support/wire.ts';
import { ephemeral } from '../support/world.ts';

const bounded = await boundedWorld(ephemeral());
const { here } = bounded;

it.each<[string, () => unknown, number]>([
  ['/chat/completions', () => CHAT, 1],
  ['/storage/objects', fileForm, 2],
])(
  'charges nothing for a call of %s that a full disk refuses, and serves the next [I170]',
  async (path, body, credits) => {
    const account = await here.account({ credits: 10_000 });
    onTestFinished(() => bounded.free());
    await bounded.bound();
    // The pages that there are have some room left: that is used up first.
    let answer = await account.post(path, body());
    let served = 0;
    for (; answer.status === 200; served += 1) answer = await account.post(path, body());
    expectError(answer, 507, 'storage_full');
    const paid = Array.from({ length: served }, () => `charge -${credits}`);
    expect((await account.ledger()).slice(2)).toEqual(paid);
    await bounded.free();
    expect((await account.post(path, body())).status).toBe(200);
    expect(await account.balance()).toBe(10_000 - credits * (served + 1));
    expect(await here.invariants()).toMatchObject({ ok: true });
  },
);
