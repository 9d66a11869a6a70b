import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emulatorFixtures, expectSpend } from 'svc-emulator/node-test';

const svc = emulatorFixtures();

function chat(model = 'svc-rp-mini') {
  return fetch(`${svc.emulator.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${svc.account.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Is anybody there?' }] }),
  });
}

test('a chat costs one credit', async () => {
  await expectSpend(svc.account, { credits: 1, refunds: 0 }, () => chat());
});

test('each test has an account of its own', async () => {
  assert.equal(await svc.account.balance(), 1000);
});

test('a test that fails shows its requests', { todo: process.env.SHOW === undefined }, async () => {
  assert.equal((await chat('no-such-model')).status, 200);
});
