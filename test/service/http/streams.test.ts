import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGzip } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { chatOf, scripted } from '../../support/scripting.ts';
import { faultyAccount } from '../../support/striking.ts';
import { converse } from '../../support/wire.ts';
import { type TestAccount, world } from '../../support/world.ts';

const emulator = await world();
const STREAM = { ...chatOf('Hello there.'), stream: true };

/** The head of a response, as it arrives at a socket. */
async function headOf({ key }: TestAccount, path: string, body?: object): Promise<string[]> {
  const text = body ? JSON.stringify(body) : '';
  const lines = [`${body ? 'POST' : 'GET'} ${path} HTTP/1.1`, 'host: localhost', `authorization: Bearer ${key}`];
  const sent = [...lines, 'connection: close', 'content-type: application/json', `content-length: ${text.length}`];
  const [head = ''] = (await converse(emulator, `${sent.join('\r\n')}\r\n\r\n${text}`)).split('\r\n\r\n');
  return head.toLowerCase().split('\r\n');
}

it.each<[string, object]>([
  ['', {}],
  [' that breaks off', { stream: { cut_after: 3 } }],
  [' with an event that is not JSON', { stream: { malformed_at: 2 } }],
  [' that a fault rule slows down', { stream: { interval_ms: 1 } }],
])('tells proxies to neither buffer nor compress a streamed chat%s', async (_how, effect) => {
  const isFaulty = Object.keys(effect).length > 0;
  const account = isFaulty ? (await faultyAccount(emulator, effect)).account : await emulator.account();
  const head = await headOf(account, '/v1/chat/completions', STREAM).catch(() => []);
  expect(head).toContain('content-type: text/event-stream; charset=utf-8');
  expect(head).toContain('cache-control: no-cache, no-transform');
  expect(head).toContain('x-accel-buffering: no');
});

it('tells proxies to neither buffer nor compress the live feed', async () => {
  const { headers, body } = await fetch(`${emulator.url}/_emulator/live`);
  expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-cache, no-transform');
  expect(headers.get('x-accel-buffering')).toBe('no');
  await body?.cancel();
});

/** Waits for the whole response unless `x-accel-buffering` says no, as nginx does. */
async function sendBuffered(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  if (answer.headers['x-accel-buffering'] === 'no') answer.pipe(response);
  else response.end(Buffer.concat(await answer.toArray()));
}

/** Compresses every response without `no-transform`, as the middleware `compression` does. */
async function sendCompressed(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  if (answer.headers['cache-control']?.includes('no-transform')) answer.pipe(response);
  else answer.pipe(createGzip()).pipe(response.setHeader('content-encoding', 'gzip'));
}

/** The URL of a proxy in front of the emulator. */
async function proxyWith(send: typeof sendBuffered): Promise<string> {
  const proxy = createServer((incoming, response) => {
    const { method, headers, url } = incoming;
    const outgoing = request(`${emulator.url}${url}`, { method, headers });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    outgoing.on('response', (answer) => {
      response.setHeader('content-type', answer.headers['content-type'] ?? '');
      send(answer, response).catch(() => response.destroy());
    });
    incoming.pipe(outgoing);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

it.each([
  ['buffers', sendBuffered],
  ['compresses', sendCompressed],
])('streams a chat through a proxy that %s, event by event', async (_what, send) => {
  const proxy = await proxyWith(send);
  const pieces = ['It ', { text: 'is lit.', delay_ms: 60_000 }];
  const account = await scripted(emulator, [{ answer: { pieces } }]);
  const order = { method: 'POST', headers: { ...account.headers, 'content-type': 'application/json' } };
  const { body } = await fetch(`${proxy}/v1/chat/completions`, { ...order, body: JSON.stringify(STREAM) });
  const reader = body?.getReader();
  let received = '';
  while (!received.includes('"It "')) received += Buffer.from((await reader?.read())?.value ?? []).toString();
  expect(received).not.toContain('is lit.');
  await reader?.cancel();
  expect(await account.ledger()).toEqual(['grant 50', 'charge -1']);
});
