import assert from 'node:assert/strict';
import { once } from 'node:events';
import { afterEach, beforeEach, test } from 'node:test';
import { setInterval } from 'node:timers/promises';
import { emulatorFixtures, expectSpend } from 'svc-emulator/node-test';
import { chatServer } from './chat.js';

const svc = emulatorFixtures();
let server;
let url;

beforeEach(async () => {
  server = chatServer({ baseURL: svc.emulator.baseUrl, apiKey: svc.account.apiKey, timeoutMs: 5_000 });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${server.address().port}`;
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const HELLO = [{ role: 'user', content: 'Are you still awake? The lamp went out.' }];

const REPLY = 'look, you want the truth or the funny one\nhow did we get on to the lamp went?';

const ask = (messages, signal) => fetch(`${url}/chat`, { method: 'POST', body: JSON.stringify({ messages }), signal });

/** The text and the balance. Fails as the page does. */
async function replyTo(messages) {
  const response = await ask(messages);
  const body = await response.text();
  if (!response.ok) throw new Error(`${response.status}: ${JSON.parse(body).error}`);
  const lines = body
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { text: lines.map(({ text = '' }) => text).join(''), credits: lines.at(-1).credits };
}

const addFault = (effect) =>
  svc.emulator.faults.add({ match: { accountId: svc.account.id, path: '/v1/chat' }, effect });

/** Waits until the service has seen that nobody reads the chat any more. */
async function untilCut() {
  for await (const _ of setInterval(100)) {
    const requests = await svc.emulator.control.listRequests({ accountId: svc.account.id });
    if (requests.some(({ path, cut }) => path === '/v1/chat/completions' && cut)) return;
  }
}

test('streams a reply and shows the balance', async () => {
  await expectSpend(svc.account, { credits: 1, refunds: 0 }, async () => {
    // The same request always gets the same reply.
    assert.deepEqual(await replyTo(HELLO), { text: REPLY, credits: 999 });
  });
  assert.deepEqual(await (await fetch(`${url}/balance`)).json(), { credits: 999 });
});

test('remembers the conversation', async () => {
  await expectSpend(svc.account, { credits: 2, refunds: 0 }, async () => {
    const first = await replyTo(HELLO);
    const next = [...HELLO, { role: 'assistant', content: first.text }, { role: 'user', content: 'Light it again.' }];
    assert.equal((await replyTo(next)).credits, 998);
  });
});

test('stops the stream when the reader leaves', { timeout: 30_000 }, async () => {
  await addFault({ stream: { intervalMs: 500 } });
  await expectSpend(svc.account, { credits: 1, refunds: 0 }, async () => {
    const leave = new AbortController();
    const { status, body } = await ask(HELLO, leave.signal);
    assert.equal(status, 200);
    const { value } = await body.getReader().read();
    assert.match(Buffer.from(value).toString(), /"text"/);
    leave.abort();
    await untilCut();
  });
});

test('tries again when the service is busy', async () => {
  await addFault({ status: 429, retryAfter: 1 });
  assert.equal((await replyTo(HELLO)).credits, 999);
});

test('says that there are no credits left', async () => {
  await addFault({ status: 402 });
  await expectSpend(svc.account, { credits: 0, refunds: 0 }, async () => {
    await assert.rejects(replyTo(HELLO), { message: '402: There are no credits left.' });
  });
});
