// The service behind the chat, by an author whose second test counts on what the first one has left.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emulatorFixtures } from 'svc-emulator/node-test';
import { call } from '../open-app.mjs';

const svc = emulatorFixtures();
const order = (at = svc) =>
  call(at, 'POST', '/chat/completions', {
    model: 'svc-rp-mini',
    messages: [{ role: 'user', content: 'Good evening.' }],
  });
let first;

test('books a reply', async () => {
  const { body } = await order();
  assert.equal(body.usage.credits_remaining, 999);
  first = body;
});

test('books another reply', async () => {
  const { id } = first;
  const { body } = await order();
  assert.notEqual(body.id, id);
  assert.equal(body.usage.credits_spent, 1);
});

test('is answered 402 where the credits are gone', async () => {
  const poor = { emulator: svc.emulator, account: await svc.emulator.account({ credits: 0 }) };
  assert.equal((await order(poor)).status, 402);
});
