import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { emulatorFixtures, expectSpend } from 'svc-emulator/node-test';
import { greetingServer, openQueue } from './queue.js';

const WORKER = fileURLToPath(new URL('./worker.js', import.meta.url));
const svc = emulatorFixtures();
let folder;
let queue;
let server;
let url;
let workers;

/** Starts a worker process for an account. */
function startWorker(account) {
  const env = {
    ...process.env,
    QUEUE_FILE: path.join(folder, 'greetings.db'),
    OPENAI_BASE_URL: svc.emulator.baseUrl,
    OPENAI_API_KEY: account.apiKey,
    TIMEOUT_MS: '5000',
  };
  workers.push(spawn(process.execPath, [WORKER], { env, stdio: 'inherit' }));
}

beforeEach(async () => {
  workers = [];
  folder = mkdtempSync(path.join(tmpdir(), 'greetings-'));
  queue = openQueue(path.join(folder, 'greetings.db'));
  server = greetingServer(queue).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${server.address().port}`;
});

afterEach(async () => {
  for (const worker of workers) {
    const ended = once(worker, 'exit');
    if (worker.exitCode === null && worker.signalCode === null && worker.kill('SIGTERM')) await ended;
  }
  server.closeAllConnections();
  server.close();
  queue.close();
  rmSync(folder, { recursive: true });
});

async function order(name, occasion) {
  const response = await fetch(`${url}/greetings`, { method: 'POST', body: JSON.stringify({ name, occasion }) });
  return (await response.json()).id;
}

async function result(id) {
  for (;;) {
    const response = await fetch(`${url}/greetings/${id}`);
    const body = await response.json();
    if (response.status !== 202) return { status: response.status, ...body };
    await wait(50);
  }
}

test('speaks a greeting', async () => {
  startWorker(svc.account);
  await expectSpend(svc.account, { credits: 4, refunds: 0 }, async () => {
    const greeting = await result(await order('Ada', 'first day at sea'));
    assert.equal(greeting.status, 200);
    assert.ok(greeting.text.length > 5);
    const mp3 = Buffer.from(await (await fetch(url + greeting.audio)).arrayBuffer());
    assert.equal(mp3.toString('latin1', 0, 3), 'ID3');
  });
});

test('works through greetings in their order', async () => {
  const ids = [await order('Bob', 'harvest'), await order('Cid', 'wedding')];
  startWorker(svc.account);
  await expectSpend(svc.account, { credits: 8, refunds: 0 }, async () => {
    for (const id of ids) assert.equal((await result(id)).status, 200);
  });
});

test('shares the work between two workers', async () => {
  startWorker(svc.account);
  startWorker(svc.account);
  await expectSpend(svc.account, { credits: 12, refunds: 0 }, async () => {
    const ids = await Promise.all(['Dan', 'Eve', 'Fay'].map((name) => order(name, 'new year')));
    const results = await Promise.all(ids.map(result));
    assert.deepEqual(
      results.map(({ status }) => status),
      [200, 200, 200],
    );
  });
});

test('keeps the text if the speech has to wait', async () => {
  await svc.emulator.faults.add({
    match: { accountId: svc.account.id, path: '/v1/audio/speech' },
    effect: { status: 503 },
  });
  startWorker(svc.account);
  await expectSpend(svc.account, { credits: 4, refunds: 0 }, async () => {
    assert.equal((await result(await order('Gus', 'long night'))).status, 200);
  });
});

test('fails a greeting without credits', async () => {
  const poor = await svc.emulator.account({ credits: 0 });
  startWorker(poor);
  assert.deepEqual(await result(await order('Hal', 'birthday')), { status: 502, error: 'insufficient_credits' });
});
