// 30 tests with the fixtures of node:test that pass under every fault: messages, images and songs, by a client that retries.
// The command of `npm run check:bars -- rate` and `budget`. With MESSAGES=5, its pairs of faults do not fit into 120 s.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { emulatorFixtures } from 'svc-emulator/node-test';

const svc = emulatorFixtures();
const { MESSAGES = '1' } = process.env;
const MAX_TRIES = 4;

/**
 * Sends a refused request again after Retry-After, and a lost one unless it was charged. If the response is lost for good,
 * throws an error whose cause is the error of the connection.
 */
async function send(method, path, body) {
  const headers = { authorization: `Bearer ${svc.account.apiKey}`, 'content-type': 'application/json' };
  const before = method === 'POST' && (await send('GET', '/v1/account')).body.credits;
  for (let tries = 1; ; tries += 1) {
    try {
      const response = await fetch(svc.emulator.url + path, { method, headers, body: body && JSON.stringify(body) });
      const read = await response.json();
      const isRefused = response.status >= 500 || response.status === 429;
      if (!isRefused || tries === MAX_TRIES) return { status: response.status, body: read };
      await sleep(1000 * Number(response.headers.get('retry-after') ?? 0));
    } catch (cause) {
      const isDone = method === 'POST' && (await send('GET', '/v1/account')).body.credits !== before;
      if (isDone || tries === MAX_TRIES) throw new Error(`The response to ${method} ${path} is lost.`, { cause });
    }
  }
}

/** Waits until the emulator is idle, and then polls every second until the job is final. */
async function finalStatus(id) {
  await svc.emulator.waitFor.idle({ accountId: svc.account.id });
  for (;;) {
    const { body } = await send('GET', `/v1/music/generations/${id}`);
    if (['succeeded', 'failed'].includes(body?.status)) return body.status;
    await sleep(1000);
  }
}

for (let at = 1; at <= 20; at += 1) {
  test(`message ${at}`, async () => {
    for (let nth = 1; nth <= Number(MESSAGES); nth += 1) {
      const messages = [{ role: 'user', content: `Good evening, this is message ${at}, sent as number ${nth}.` }];
      const { status, body } = await send('POST', '/v1/chat/completions', { model: 'svc-rp-mini', messages });
      assert.equal(status, 200);
      assert.equal(body.choices.length, 1);
    }
  });
}

for (let at = 1; at <= 6; at += 1) {
  test(`image ${at}`, async () => {
    const { status, body } = await send('POST', '/v1/images/generations', { prompt: `lighthouse ${at}`, seed: at });
    assert.equal(status, 200);
    assert.ok(body.data.length > 0);
  });
}

/** The ids of a song's takes. If the response to the order is lost, they are found by the seed. */
async function orderedTakes(order) {
  const lost = (error) => ({ error });
  const { status, body, error } = await send('POST', '/v1/music/generations', order).catch(lost);
  if (!error) {
    assert.equal(status, 202);
    return body.data.map(({ id }) => id);
  }
  await svc.emulator.waitFor.idle({ accountId: svc.account.id });
  const samples = await send('GET', '/v1/webhooks/samples?event=music.generation.succeeded');
  return samples.body.events
    .map(({ data }) => data)
    .filter(({ seed }) => seed === order.seed)
    .map(({ id }) => id);
}

for (let at = 1; at <= 4; at += 1) {
  test(`song ${at}`, async () => {
    const order = { model: 'svc-music-one', prompt: `a song about rain, ${at}`, seconds: 30, n: 1, seed: at };
    const takes = await orderedTakes(order);
    assert.equal(takes.length, 1);
    const ends = await Promise.all(takes.map(finalStatus));
    for (const end of ends) assert.match(end, /^(?:succeeded|failed)$/);
  });
}
