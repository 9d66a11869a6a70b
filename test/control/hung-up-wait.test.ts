import { getActiveResourcesInfo } from 'node:process';
import { expect, it } from 'vitest';
import { expectError } from '../support/wire.ts';
import { world } from '../support/world.ts';

const here = await world();
const timers = () => getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

it('leaves no timer and no listener behind when its clients hang up [I137]', async () => {
  const ana = await here.account();
  await here.control('PUT', '/progression', { mode: 'manual', account_id: ana.id });
  const { body } = await ana.post('/music/generations', { prompt: 'a pier', seconds: 30, n: 1 });
  const job = body.data[0].id;
  await here.advance(0);
  const before = timers();
  const gone = new AbortController();
  const waits = ['idle', `job:${job}`, 'event:flow.run.failed', 'delivery:flow.run.failed']
    .flatMap((what) => Array(10).fill(what))
    .map((what) => {
      const url = `${here.url}/_emulator/wait?timeout=600&for=${what}&account_id=${ana.id}`;
      return fetch(url, { signal: gone.signal });
    });
  while (timers() < before + 40) await here.control('GET', '/health');
  gone.abort();
  for (const wait of waits) await expect(wait).rejects.toThrow();
  while (timers() > before + 2) await here.control('GET', '/health');
  expect((await here.control('POST', `/jobs/${job}/finish`, { outcome: 'succeeded' })).status).toBe(
    200,
  );
});

it('ends at a reset, and the next state can be waited for [I085 I137 I190]', async () => {
  const waiting = here.wait('event:flow.run.failed', { timeout: 600 });
  const before = timers();
  while (timers() < before) await here.control('GET', '/health');
  await here.control('POST', '/reset');
  const { message } = expectError(await waiting, 502, 'render_failed');
  expect(message).toContain('reset');
  expect((await here.wait('idle', { timeout: 60 })).body).toEqual({ for: 'idle', idle: true });
});
