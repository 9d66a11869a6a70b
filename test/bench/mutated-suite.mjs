import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { emulatorFixtures } from 'svc-emulator/node-test';

const svc = emulatorFixtures();
const { BENCH_TESTS: count = '120', BENCH_TEST_MS: ms = '0' } = process.env;

async function ask(method, path, body) {
  const headers = { authorization: `Bearer ${svc.account.apiKey}`, 'content-type': 'application/json' };
  const answer = await fetch(svc.emulator.url + path, { method, headers, body: body && JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
}

/** What a test does with an order, by the habits of four authors. */
const HABITS = [
  ({ status }) => assert.equal(status, 200),
  ({ body }) => assert.equal(body.usage.credits_spent, 1),
  ({ body }) => assert.deepEqual(body.usage, { credits_spent: 1, credits_remaining: 999 }),
  async () => assert.equal((await ask('GET', '/v1/account')).body.credits, 999),
];

for (let at = 0; at < Number(count); at += 1) {
  test(`orders reply ${at}`, async () => {
    const order = { model: 'svc-rp-mini', messages: [{ role: 'user', content: `Good evening ${at}.` }] };
    const answer = await ask('POST', '/v1/chat/completions', order);
    assert.equal(answer.status, 200);
    await HABITS[at % HABITS.length](answer);
    await pause(Number(ms));
  });
}
