// The chat front end, by an author who looks at everything that users and bookkeeping see.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emulatorFixtures } from 'svc-emulator/node-test';
import { call, openApp, spent } from '../open-app.mjs';

const svc = emulatorFixtures();
const REPLY = 'It is lit, and nobody is there.';
const ORDER = { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Is the lantern lit?' }] };

async function script({ emulator, account }) {
  const match = { accountId: account.id, operation: 'createChatCompletion', message: 'lantern' };
  await emulator.control.addFixtures({ fixtures: [{ match, answer: { text: REPLY } }] });
}

test('shows the reply, and what is left', async (t) => {
  await script(svc);
  const { ask } = await openApp(t, 'chat', svc);
  const { body } = await ask('/say', { id: 'a', said: 'Is the lantern lit?' });
  const [message] = body.messages;
  assert.equal(message.reply, REPLY); // reply
  assert.equal(message.state, 'whole'); // state
  assert.equal(body.credits, 999); // credits
  assert.deepEqual(await spent(svc.account), ['charge -1']); // ledger
});

test('opens with the balance of its account', async (t) => {
  const { ask } = await openApp(t, 'chat', svc);
  const { body } = await ask('/open', {});
  assert.equal(body.credits, 1000); // opened
});

test('has nothing to pay for a reply that failed', async (t) => {
  const { ask } = await openApp(t, 'chat', svc);
  const { body } = await ask('/say', { id: 'a', said: '[[fail]]' });
  assert.equal(body.messages[0].state, 'refused'); // refused
  assert.equal(await svc.account.balance(), 1000); // balance
});

test('says that the credits are gone', async (t) => {
  const poor = await svc.emulator.account({ credits: 0 });
  const { ask } = await openApp(t, 'chat', { emulator: svc.emulator, account: poor });
  const { body } = await ask('/say', { id: 'a', said: 'Good evening.' });
  assert.equal(body.messages[0].state, 'unpaid'); // unpaid
});

test('books what the service answers', async () => {
  await script(svc);
  const { body } = await call(svc, 'POST', '/chat/completions', ORDER);
  assert.deepEqual(body.usage, { credits_spent: 1, credits_remaining: 999 }); // usage
  assert.equal(body.model, ORDER.model); // model
  assert.equal(body.choices[0].message.content, REPLY); // text
});

test('is refused with a key that nobody has', async () => {
  const stranger = { emulator: svc.emulator, account: { apiKey: 'svc_sk_nobody' } };
  const { status, body } = await call(stranger, 'GET', '/account');
  assert.equal(status, 401); // stranger
  assert.equal(body.error.code, 'invalid_api_key'); // code
});
