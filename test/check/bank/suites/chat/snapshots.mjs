// The service behind the chat, by an author who compares whole answers with those of the day on which the test was written.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emulatorFixtures } from 'svc-emulator/node-test';
import { call } from '../open-app.mjs';

const svc = emulatorFixtures();
const ORDER = { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Is the lantern lit?' }] };

test('answers as ever', async () => {
  const match = { accountId: svc.account.id, operation: 'createChatCompletion', message: 'lantern' };
  await svc.emulator.control.addFixtures({ fixtures: [{ match, answer: { text: 'It is lit.' } }] });
  const { status, body } = await call(svc, 'POST', '/chat/completions', ORDER);
  const { id, ...rest } = body;
  assert.match(id, /^chatcmpl_/);
  assert.deepEqual(
    [status, rest],
    [
      200,
      {
        object: 'chat.completion',
        model: 'svc-rp-mini',
        choices: [{ index: 0, message: { role: 'assistant', content: 'It is lit.' }, finish_reason: 'stop' }],
        usage: { credits_spent: 1, credits_remaining: 999 },
      },
    ],
  );
});

test('refuses as ever', async () => {
  const poor = { emulator: svc.emulator, account: await svc.emulator.account({ credits: 0 }) };
  const { status, body } = await call(poor, 'POST', '/chat/completions', ORDER);
  const { message, ...error } = body.error;
  assert.match(message, /credits/);
  assert.deepEqual([status, error], [402, { code: 'insufficient_credits', type: 'insufficient_credits', param: null }]);
});
