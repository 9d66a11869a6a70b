// The shop, by an author who looks at the status of every answer and at nothing else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emulatorFixtures } from 'svc-emulator/node-test';
import { call, finished, openApp } from '../open-app.mjs';

const svc = emulatorFixtures();
const orderOf = (prompt) => ({ model: 'svc-music-one', prompt, seconds: 30, n: 2 });

for (const prompt of ['a slow song about the rain', 'a slow song [[fail]]']) {
  test(`takes an order of ${prompt}`, async (t) => {
    const { ask } = await openApp(t, 'shop', svc);
    assert.equal((await ask('/orders', { idem: 'click-1', user: 'ann', prompt })).status, 201);
    await finished(ask, ({ orders: [order] }) => order.done);
  });

  test(`is answered 202 and 200 for ${prompt}`, async () => {
    assert.equal((await call(svc, 'POST', '/music/generations', orderOf(prompt))).status, 202);
    await svc.account.waitFor.idle();
    for (const { id } of await svc.account.jobs()) {
      assert.equal((await call(svc, 'GET', `/music/generations/${id}`)).status, 200);
    }
  });
}

test('is answered 402 where the credits are gone', async () => {
  const poor = { emulator: svc.emulator, account: await svc.emulator.account({ credits: 0 }) };
  assert.equal((await call(poor, 'POST', '/music/generations', orderOf('a slow song'))).status, 402);
});

test('is answered 400 where the order is refused', async () => {
  assert.equal((await call(svc, 'POST', '/music/generations', orderOf('a slow song [[block]]'))).status, 400);
});
