import { expect, it } from 'vitest';
import { VirtualClock } from '../../src/clock/clock.ts';
import { BodyBufferPool } from '../../src/http/operation-reader.ts';
import { journalled } from '../support/striking.ts';
import { world } from '../support/world.ts';

it('gives one body the memory of another that is done with, and nobody what is still read', () => {
  const clock = new VirtualClock();
  const room = new BodyBufferPool(clock);
  expect(room.take(2000)).toBeUndefined();
  const first = Buffer.allocUnsafeSlow(2000);
  room.giveBack(first.subarray(0, 1200));
  const third = room.take(1500);
  expect(third?.buffer).toBe(first.buffer);
  expect(third?.length).toBe(2000);
  expect(room.take(1500)).toBeUndefined();
  room.giveBack(first);
  expect(room.take(2001)).toBeUndefined();
  clock.clear();
});

it('keeps the largest only, and not for long', () => {
  const clock = new VirtualClock();
  const room = new BodyBufferPool(clock);
  const [small, large] = [Buffer.allocUnsafeSlow(1000), Buffer.allocUnsafeSlow(3000)];
  room.giveBack(large);
  room.giveBack(small);
  expect(room.take(500)?.buffer).toBe(large.buffer);
  room.giveBack(large);
  // What ends the time of real clocks ends this one too.
  clock.clear();
  expect(room.take(500)).toBeUndefined();
});

it('reads large bodies of many clients apart, again and again', async () => {
  const emulator = await world();
  const account = await emulator.account({ credits: 100 });
  const order = (name: string) => ({
    model: 'svc-rp-mini',
    messages: [{ role: 'user', content: `${name} ${name.repeat(1_200_000)}` }],
  });
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const sent = [];
  for (const pair of [names.slice(0, 3), names.slice(3)]) {
    const answers = pair.map((name) => account.post('/chat/completions', order(name)));
    sent.push(...(await Promise.all(answers)));
  }
  expect(sent.map(({ status }) => status)).toEqual(names.map(() => 200));
  const seen = await journalled(account, names.length);
  const started = new Map(seen.map(({ id, request }: { id: string; request: string }) => [id, request.slice(60, 120)]));
  expect(sent.map(({ headers }) => started.get(headers.get('x-request-id') ?? ''))).toEqual(
    names.map((name) => JSON.stringify(order(name)).slice(60, 120)),
  );
});
