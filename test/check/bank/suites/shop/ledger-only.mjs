// The shop, by an author who trusts the books and reads nothing else.
import { test } from 'node:test';
import { emulatorFixtures, expectSpend } from 'svc-emulator/node-test';
import { call, finished, openApp } from '../open-app.mjs';

const svc = emulatorFixtures();

async function buy(t, prompt, account = svc.account) {
  const { ask } = await openApp(t, 'shop', { emulator: svc.emulator, account });
  await ask('/orders', { idem: 'click-1', user: 'ann', prompt });
  await finished(ask, ({ orders: [order] }) => order.done);
  for (const { id } of [...(await account.jobs()), ...(await account.jobs())]) {
    await call({ emulator: svc.emulator, account }, 'GET', `/music/generations/${id}`);
  }
}

test('a song of two takes costs six credits', async (t) => {
  await expectSpend(svc.account, { credits: 6, refunds: 0 }, () => buy(t, 'a slow song about the rain'));
});

test('two takes that fail cost nothing', async (t) => {
  await expectSpend(svc.account, { credits: 0, refunds: 2 }, () => buy(t, 'a slow song [[fail]]'));
});

test('an order that is refused costs nothing', async (t) => {
  await expectSpend(svc.account, { credits: 0, refunds: 0 }, () => buy(t, 'a slow song [[block]]'));
});

test('without credits nothing is booked', async (t) => {
  const account = await svc.emulator.account({ credits: 0 });
  await expectSpend(account, { credits: 0, refunds: 0 }, () => buy(t, 'a slow song', account));
});
