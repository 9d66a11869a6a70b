// 30 tests with the fixtures of node:test that hold under every fault: messages, images and songs, by a client that retries.
// The command of `npm run check:bars -- rate` and `budget`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { emulatorFixtures } from 'svc-emulator/node-test';

const svc = emulatorFixtures();
const MAX_TRIES = 4;
const CREDITS = 1000;

/** Sends again what was refused, after the time that the service asks for, and what was lost, unless it was charged. */
async function send(method, path, body) {
  const headers = { authorization: `Bearer ${svc.account.apiKey}`, 'content-type': 'application/json' };
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    try {
      const response = await fetch(svc.emulator.url + path, { method, headers, body: body && JSON.stringify(body) });
      const read = await response.json();
      if (response.status < 500 && response.status !== 429) return { status: response.status, body: read };
      await sleep(1000 * Number(response.headers.get('retry-after') ?? 0));
    } catch {
      if (method === 'POST' && (await send('GET', '/v1/account')).body?.credits !== CREDITS) break;
    }
  }
  return { status: 0 };
}

/** Polls a job until it is final. */
async function finalStatus(id) {
  for (;;) {
    const { body } = await send('GET', `/v1/music/generations/${id}`);
    if (['succeeded', 'failed'].includes(body?.status)) return body.status;
    await sleep(5);
  }
}

for (let at = 1; at <= 20; at += 1) {
  test(`message ${at}`, async () => {
    const messages = [{ role: 'user', content: `Good evening, this is message ${at}.` }];
    const { status, body } = await send('POST', '/v1/chat/completions', { model: 'svc-rp-mini', messages });
    if (status === 200) assert.equal(body.choices.length, 1);
    const { body: account } = await send('GET', '/v1/account');
    if (account) assert.ok(account.credits <= CREDITS);
  });
}

for (let at = 1; at <= 6; at += 1) {
  test(`image ${at}`, async () => {
    const { status, body } = await send('POST', '/v1/images/generations', { prompt: `lighthouse ${at}`, seed: at });
    if (status === 200) assert.ok(body.data.length > 0);
  });
}

for (let at = 1; at <= 4; at += 1) {
  test(`song ${at}`, async () => {
    const order = { model: 'svc-music-one', prompt: `a song about rain, ${at}`, seconds: 30 };
    const { status, body } = await send('POST', '/v1/music/generations', order);
    const ends = await Promise.all((status === 202 ? body.data : []).map(({ id }) => finalStatus(id)));
    for (const end of ends) assert.match(end, /^(?:succeeded|failed)$/);
  });
}
