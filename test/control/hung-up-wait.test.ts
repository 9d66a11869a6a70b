import { getActiveResourcesInfo } from 'node:process';
import { expect, it } from 'vitest';
import { lookUntil } from '../support/look-until.ts';
import { expectError } from '../support/wire.ts';
import { world } from '../support/world.ts';

const here = await world();
const timers = () => getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

const sockets = () => getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;

const WAITS = 40;
const FEW = 5;

/** Opens waits, and aborts them once all of them wait. */
async function leave(open: (signal: AbortSignal) => Promise<Response>[]): Promise<void> {
  const gone = new AbortController();
  const waits = open(gone.signal);
  await lookUntil(() => timers() >= WAITS);
  gone.abort();
  for (const wait of waits) await expect(wait).rejects.toThrow();
  await lookUntil(() => timers() <= FEW);
}

it('ends the timers of waits whose clients disconnect [I137]', async () => {
  const ana = await here.account();
  await here.control('PUT', '/progression', { mode: 'manual', account_id: ana.id });
  const { body } = await ana.post('/music/generations', { prompt: 'a pier [[fail]]', seconds: 30, n: 1 });
  // The job fails by its prompt, so that no render starts or ends timers.
  const job = body.data[0].id;
  const kinds = ['idle', `job:${job}`, 'event:flow.run.failed', 'delivery:flow.run.failed'];
  await leave((signal) =>
    kinds
      .flatMap((what) =>
        Array(WAITS / 4).fill(`${here.url}/_emulator/wait?timeout=600&for=${what}&account_id=${ana.id}`),
      )
      .map((url) => fetch(url, { signal })),
  );
  const finished = await here.control('POST', `/jobs/${job}/finish`, { outcome: 'failed' });
  expect(finished.status).toBe(200);
});

it('ends the waits of MCP clients that disconnect, and their connections [I137]', async () => {
  const before = sockets();
  const args = { for: 'event:flow.run.failed', timeout: 600 };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait_for', arguments: args } };
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const call = { method: 'POST', headers, body: JSON.stringify(message) };
  await leave((signal) => Array.from({ length: WAITS }, () => fetch(`${here.url}/_emulator/mcp`, { ...call, signal })));
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
