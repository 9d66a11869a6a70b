import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { emulatorFixtures, expectSpend } from 'svc-emulator/node-test';
import { jingleServer, openJingles } from './jingles.js';

const svc = emulatorFixtures();
const opened = [];
let station;

async function open(account) {
  const folder = await mkdtemp(path.join(tmpdir(), 'jingles-'));
  const limits = { pollMs: 150, timeoutMs: 5_000, searchMs: 8_000 };
  const jingles = await openJingles({ baseUrl: svc.emulator.baseUrl, apiKey: account.apiKey, folder, ...limits });
  const server = jingleServer(jingles, readFile).listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push(async () => {
    server.closeAllConnections();
    server.close();
    await jingles.close();
    await rm(folder, { recursive: true });
  });
  return `http://127.0.0.1:${server.address().port}`;
}

beforeEach(async () => {
  station = await open(svc.account);
});

afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

const read = async (url) => (await fetch(url)).json();

async function order(prompt, url = station) {
  const response = await fetch(`${url}/jingles`, { method: 'POST', body: JSON.stringify({ prompt }) });
  const body = await response.json();
  assert.equal(response.status, 201, body.error);
  return body.id;
}

async function finished(id) {
  for (;;) {
    const jingle = await read(`${station}/jingles/${id}`);
    if (jingle.status === 'ready' || jingle.status === 'failed') return jingle;
    await wait(100);
  }
}

async function audio(id) {
  const response = await fetch(`${station}/jingles/${id}/audio`);
  assert.equal(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
}

test('orders a jingle and plays it', async () => {
  await expectSpend(svc.account, { credits: 3, refunds: 0 }, async () => {
    const id = await order('good morning, harbour');
    assert.equal((await finished(id)).status, 'ready');
    const bytes = await audio(id);
    assert.ok(bytes.length > 10_000, `${bytes.length} bytes`);
    assert.equal(bytes.toString('latin1', 0, 3), 'ID3');
  });
});

test('shows why a jingle failed', async () => {
  await expectSpend(svc.account, { credits: 0, refunds: 1 }, async () => {
    const jingle = await finished(await order('good morning [[fail:out_of_tune]]'));
    assert.deepEqual([jingle.status, jingle.error], ['failed', 'out_of_tune']);
  });
});

test('keeps two jingles apart', async () => {
  await expectSpend(svc.account, { credits: 6, refunds: 0 }, async () => {
    const ids = [await order('the news'), await order('the weather')];
    for (const id of ids) assert.equal((await finished(id)).status, 'ready');
    assert.notDeepEqual(await audio(ids[0]), await audio(ids[1]));
  });
});

test('waits for a jingle that takes several polls', async () => {
  await svc.emulator.setProgression({ mode: 'polls', value: 4, accountId: svc.account.id });
  await expectSpend(svc.account, { credits: 3, refunds: 0 }, async () => {
    assert.equal((await finished(await order('good night'))).status, 'ready');
  });
});

test('lists the jingles', async () => {
  const id = await order('the shipping forecast');
  await finished(id);
  const list = await read(`${station}/jingles`);
  assert.deepEqual(
    list.map(({ prompt, status }) => [prompt, status]),
    [['the shipping forecast', 'ready']],
  );
});

test('returns 402 without credits', async () => {
  const poor = await svc.emulator.account({ credits: 2 });
  const url = await open(poor);
  const response = await fetch(`${url}/jingles`, { method: 'POST', body: JSON.stringify({ prompt: 'hello' }) });
  assert.equal(response.status, 402);
  assert.deepEqual(await response.json(), { error: 'insufficient_credits' });
});
