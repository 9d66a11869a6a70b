// The chat front end, by an author who looks at the status of every answer and at nothing else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emulatorFixtures } from 'svc-emulator/node-test';
import { call, openApp } from '../open-app.mjs';

const svc = emulatorFixtures();
const orderOf = (content) => ({ model: 'svc-rp-mini', messages: [{ role: 'user', content }] });

test('opens', async (t) => {
  const { ask } = await openApp(t, 'chat', svc);
  assert.equal((await ask('/open', {})).status, 200);
});

test('shows a reply', async (t) => {
  const { ask } = await openApp(t, 'chat', svc);
  assert.equal((await ask('/say', { id: 'a', said: 'Good evening.' })).status, 200);
});

test('is answered 200', async () => {
  assert.equal((await call(svc, 'POST', '/chat/completions', orderOf('Good evening.'))).status, 200);
});

test('is answered 502 where the reply fails', async () => {
  assert.equal((await call(svc, 'POST', '/chat/completions', orderOf('[[fail]]'))).status, 502);
});

test('is answered 402 where the credits are gone', async () => {
  const poor = { emulator: svc.emulator, account: await svc.emulator.account({ credits: 0 }) };
  assert.equal((await call(poor, 'POST', '/chat/completions', orderOf('Good evening.'))).status, 402);
});

test('is answered 401 with a key that nobody has', async () => {
  const stranger = { emulator: svc.emulator, account: { apiKey: 'svc_sk_nobody' } };
  assert.equal((await call(stranger, 'GET', '/account')).status, 401);
});
