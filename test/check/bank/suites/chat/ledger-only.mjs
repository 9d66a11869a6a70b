// The chat front end, by an author who trusts the books and reads nothing else.
import { test } from 'node:test';
import { emulatorFixtures, expectSpend } from 'svc-emulator/node-test';
import { openApp } from '../open-app.mjs';

const svc = emulatorFixtures();

test('a reply costs one credit', async (t) => {
  const { ask } = await openApp(t, 'chat', svc);
  await expectSpend(svc.account, { credits: 1, refunds: 0 }, () => ask('/say', { id: 'a', said: 'Good evening.' }));
});

test('replies that failed cost nothing', async (t) => {
  const { ask } = await openApp(t, 'chat', svc);
  await expectSpend(svc.account, { credits: 0, refunds: 7 }, () => ask('/say', { id: 'a', said: '[[fail]]' }));
});

test('without credits nothing is booked', async (t) => {
  const account = await svc.emulator.account({ credits: 0 });
  const { ask } = await openApp(t, 'chat', { emulator: svc.emulator, account });
  await expectSpend(account, { credits: 0, refunds: 0 }, () => ask('/say', { id: 'a', said: 'Good evening.' }));
});
