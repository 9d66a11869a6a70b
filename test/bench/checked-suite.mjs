// A suite of 30 tests for the bench of check, with the fixtures of node:test: a shop that talks, draws and sings.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { emulatorFixtures } from 'svc-emulator/node-test';

const svc = emulatorFixtures();
const TRIES = 4;
/** What the account of a test begins with. */
const CREDITS = 1000;

/** Asks again where nothing was done, as the service says or the balance shows; what was paid is not asked for again. */
async function ask(method, path, body, attempt = 1) {
  const headers = { authorization: `Bearer ${svc.account.apiKey}`, 'content-type': 'application/json' };
  try {
    const answer = await fetch(svc.emulator.url + path, { method, headers, body: body && JSON.stringify(body) });
    const read = await answer.json();
    if (attempt === TRIES || (answer.status < 500 && answer.status !== 429))
      return { status: answer.status, body: read };
    await pause(1000 * Number(answer.headers.get('retry-after') ?? 0));
  } catch {
    if (attempt === TRIES || (method === 'POST' && (await isPaid()))) return { status: 0, body: {} };
  }
  return ask(method, path, body, attempt + 1);
}

async function isPaid() {
  return (await ask('GET', '/v1/account')).body.credits !== CREDITS;
}

async function song(prompt) {
  const { status, body } = await ask('POST', '/v1/music/generations', { model: 'svc-music-one', prompt, seconds: 30 });
  if (status !== 202) return [];
  return Promise.all(body.data.map(({ id }) => ended(id)));
}

async function ended(id) {
  for (;;) {
    const { body } = await ask('GET', `/v1/music/generations/${id}`);
    if (body.status === 'succeeded' || body.status === 'failed') return body.status;
    await pause(5);
  }
}

const message = (text) => ({ model: 'svc-rp-mini', messages: [{ role: 'user', content: text }] });

for (let at = 0; at < 20; at += 1) {
  test(`answers customer ${at}`, async () => {
    const { status, body } = await ask('POST', '/v1/chat/completions', message(`Good evening, I am ${at}.`));
    if (status === 200) assert.equal(body.choices.length, 1);
    else assert.ok(status === 0 || status >= 400);
    assert.notEqual((await ask('GET', '/v1/account')).status, 404);
  });
}

for (let at = 0; at < 6; at += 1) {
  test(`draws picture ${at}`, async () => {
    const { status } = await ask('POST', '/v1/images/generations', { prompt: `a lighthouse, ${at}`, seed: at });
    assert.notEqual(status, 404);
  });
}

for (let at = 0; at < 4; at += 1) {
  test(`sings song ${at}`, async () => {
    for (const status of await song(`a song about the rain, ${at}`)) assert.match(status, /succeeded|failed/);
  });
}
