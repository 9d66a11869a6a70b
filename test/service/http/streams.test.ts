import { expect, it } from 'vitest';
import { chatOf } from '../../support/scripting.ts';
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
