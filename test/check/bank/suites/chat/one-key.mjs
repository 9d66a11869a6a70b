// The service behind the chat, by an author whose tests share the one key of the environment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from '../open-app.mjs';

const { SVC_BASE_URL: url, SVC_API_KEY: apiKey } = process.env;
const service = { emulator: { baseUrl: `${url}/v1` }, account: { apiKey } };
const orderOf = (content) => ({ model: 'svc-rp-mini', messages: [{ role: 'user', content }] });
const balance = async () => (await call(service, 'GET', '/account')).body.credits;

test('books what a reply costs', async () => {
  const before = await balance();
  const { status, body } = await call(service, 'POST', '/chat/completions', orderOf('Good evening.'));
  assert.equal(status, 200);
  assert.equal(body.model, 'svc-rp-mini');
  assert.deepEqual(body.usage, { credits_spent: 1, credits_remaining: before - 1 });
  assert.equal(await balance(), before - 1);
});

test('has nothing to pay for a reply that failed', async () => {
  const before = await balance();
  assert.equal((await call(service, 'POST', '/chat/completions', orderOf('[[fail]]'))).status, 502);
  assert.equal(await balance(), before);
});
