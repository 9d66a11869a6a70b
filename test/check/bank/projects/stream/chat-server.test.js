import { once } from 'node:events';
import { createServer } from 'node:http';
import { DefaultChatTransport, readUIMessageStream } from 'ai';
import { test as base } from 'svc-emulator/vitest';
import { expect } from 'vitest';
import { chatServer } from './chat-server.js';

async function openServer(emulator, account) {
  const app = chatServer({ baseURL: emulator.baseUrl, apiKey: account.apiKey, timeoutMs: 6_000 });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  const close = async () => {
    server.closeAllConnections();
    server.close();
    app.locals.close();
  };
  return { url, close };
}

const test = base.extend({
  server: async ({ emulator, account }, use) => {
    const server = await openServer(emulator, account);
    await use(server);
    await server.close();
  },
});

const read = async (server, path) => (await fetch(server.url + path)).json();
const textOf = ({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');

const REPLY = [
  'I brightened at once and waved you nearer.',
  '"About the lamp went, I\'d say yes. About what follows from it, I\'d want a lawyer and a drink." A pause; I picked the next words with care. "What changed?"',
].join('\n\n');

let number = 0;

/** Sends a message as the browser does, and returns the text when the reply is whole. Throws what the browser shows. */
async function say(server, chatId, text, abortSignal) {
  const transport = new DefaultChatTransport({
    api: `${server.url}/api/chat`,
    prepareSendMessagesRequest: ({ id, messages }) => ({ body: { id, message: messages.at(-1) } }),
  });
  const message = { id: `user-${++number}`, role: 'user', parts: [{ type: 'text', text }] };
  const stream = await transport.sendMessages({ chatId, messages: [message], trigger: 'submit-message', abortSignal });
  let reply;
  for await (const next of readUIMessageStream({ stream, terminateOnError: true })) reply = next;
  return textOf(reply);
}

test('streams a reply and keeps it', async ({ server, account }) => {
  const reply = await say(server, 'night', 'Are you still awake? The lamp went out.');
  // The same request always gets the same reply.
  expect(reply).toBe(REPLY);
  const chat = await read(server, '/api/chats/night');
  expect(chat.map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect(textOf(chat[1])).toBe(reply);
  await expect(account).toHaveSpent({ credits: 1, refunds: 0 });
});

test('remembers the conversation', async ({ server, account }) => {
  await say(server, 'storm', 'A storm is coming.');
  await say(server, 'storm', 'What did I say?');
  expect((await read(server, '/api/chats/storm')).map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'user',
    'assistant',
  ]);
  await expect(account).toHaveSpent({ credits: 2, refunds: 0 });
});

test('keeps two chats apart', async ({ server, account }) => {
  await Promise.all([say(server, 'one', 'Hello from the pier.'), say(server, 'two', 'Hello from the ship.')]);
  expect(textOf((await read(server, '/api/chats/one'))[0])).toBe('Hello from the pier.');
  expect(await read(server, '/api/chats/two')).toHaveLength(2);
  await expect(account).toHaveSpent({ credits: 2, refunds: 0 });
});

test('shows the balance', async ({ server }) => {
  await say(server, 'money', 'What does the oil cost?');
  expect(await read(server, '/api/balance')).toEqual({ credits: 999 });
});

test('says that there are no credits left', async ({ emulator }) => {
  const server = await openServer(emulator, await emulator.account({ credits: 0 }));
  await expect(say(server, 'poor', 'Hello?')).rejects.toThrow('The lighthouse has no credits left.');
  expect((await read(server, '/api/chats/poor')).map(({ role }) => role)).toEqual(['user']);
  await server.close();
});

test('rejects a message that is none', async ({ server }) => {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${server.url}/api/chat`, { method: 'POST', headers, body: '{"id": "x"}' });
  expect(response.status).toBe(400);
});
