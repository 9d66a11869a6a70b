import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGzip } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { chatOf, scripted } from '../../support/scripting.ts';
import { faultyAccount } from '../../support/striking.ts';
import { rawPost } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const emulator = await world();
const STREAM = { ...chatOf('Hello there.'), stream: true };

function expectUnbuffered(headers: Headers): void {
  expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-cache, no-transform');
  expect(headers.get('x-accel-buffering')).toBe('no');
}

it.each<[string, object]>([
  ['', {}],
  [' that breaks off', { stream: { cut_after: 3 } }],
  [' with an event that is not JSON', { stream: { malformed_at: 2 } }],
  [' that a fault rule slows down', { stream: { interval_ms: 1 } }],
])('tells proxies to neither buffer nor compress a streamed chat%s', async (_how, effect) => {
  const isFaulty = Object.keys(effect).length > 0;
  const account = isFaulty ? (await faultyAccount(emulator, effect)).account : await emulator.account();
  const { headers, body } = await rawPost(account, '/chat/completions', STREAM);
  expectUnbuffered(headers);
  await body?.cancel();
});

it('tells proxies to neither buffer nor compress the live feed', async () => {
  const { headers, body } = await fetch(`${emulator.url}/_emulator/live`);
  expectUnbuffered(headers);
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
