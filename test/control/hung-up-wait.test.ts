import { getActiveResourcesInfo } from 'node:process';
import { expect, it } from 'vitest';
import { lookUntil } from '../support/look-until.ts';
import { expectError } from '../support/wire.ts';
import { world } from '../support/world.ts';

const here = await world();
const timers = () => getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

const sockets = () => getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;

const WAITS = 40;
/** Timers that come and go by themselves. */
const FEW = 5;

it('ends the timers of waits whose clients disconnect [I137]', async () => {
  const ana = await here.account();
  await here.control('PUT', '/progression', { mode: 'manual', account_id: ana.id });
  const { body } = await ana.post('/music/generations', {
    prompt: 'a pier [[fail]]',
    seconds: 30,
    n: 1,
  });
  // It is to fail, so that no render takes timers and gives them back.
  const job = body.data[0].id;
  const gone = new AbortController();
  const waits = ['idle', `job:${job}`, 'event:flow.run.failed', 'delivery:flow.run.failed']
    .flatMap((what) => Array(WAITS / 4).fill(what))
    .map((what) => {
      const url = `${here.url}/_emulator/wait?timeout=600&for=${what}&account_id=${ana.id}`;
      return fetch(url, { signal: gone.signal });
    });
  await lookUntil(() => timers() >= WAITS);
  gone.abort();
  for (const wait of waits) await expect(wait).rejects.toThrow();
  await lookUntil(() => timers() <= FEW);
  const finished = await here.control('POST', `/jobs/${job}/finish`, { outcome: 'failed' });
  expect(finished.status).toBe(200);
});

it('ends the waits of MCP clients that disconnect, and their connections [I137 I238]', async () => {
  const before = sockets();
  const gone = new AbortController();
  const args = { for: 'event:flow.run.failed', timeout: 600 };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait_for', arguments: args } };
  const calls = Array.from({ length: WAITS }, () =>
    fetch(`${here.url}/_emulator/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(message),
      signal: gone.signal,
    }),
  );
  await lookUntil(() => timers() >= WAITS);
  gone.abort();
  for (const call of calls) await expect(call).rejects.toThrow();
  await lookUntil(() => timers() <= FEW);
  await lookUntil(() => sockets() <= before + FEW);
});

it('ends all waits with an error at a reset, and serves a new wait afterwards [I085 I137 I190]', async () => {
  const waits = Array.from({ length: WAITS }, () => here.wait('event:flow.run.failed', { timeout: 600 }));
  await lookUntil(() => timers() >= WAITS);
  await here.control('POST', '/reset');
  for (const answer of await Promise.all(waits)) {
    expect(expectError(answer, 502, 'render_failed').message).toContain('reset');
  }
  expect((await here.wait('idle', { timeout: 120 })).body).toEqual({ for: 'idle', idle: true });
});
