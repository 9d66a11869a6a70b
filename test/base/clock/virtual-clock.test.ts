import { expect, it, onTestFinished } from 'vitest';
import { waitUntil } from '../../../src/base/clock/clock.ts';
import { VirtualClock } from '../../../src/base/clock/virtual-clock.ts';

function openClock() {
  const clock = new VirtualClock();
  onTestFinished(() => clock.clear());
  return clock;
}

async function frozenAt(now: number) {
  const clock = openClock();
  await clock.set({ now, frozen: true });
  return clock;
}

it('runs a task of the clock at most once, and no cancelled one', async () => {
  const clock = await frozenAt(0);
  const seen: string[] = [];
  const cancel = clock.at(10, () => void seen.push('never'));
  clock.at(10, () => void seen.push('once'));
  cancel();
  await clock.advance(10);
  await clock.advance(10);
  cancel();
  expect(seen).toEqual(['once']);
});

it('runs no task when the clock is set back, until the time of the task comes again', async () => {
  const clock = await frozenAt(1000);
  const seen: number[] = [];
  clock.at(1500, () => void seen.push(clock.now()));
  await clock.set({ now: 10 });
  expect([clock.now(), seen]).toEqual([10, []]);
  await clock.set({ now: 2000 });
  expect(seen).toEqual([1500]);
});

it('reports a task that failed, and continues with the next task', async () => {
  const clock = openClock();
  clock.at(clock.now() + 1000, () => Promise.reject(new Error('no')));
  await expect(clock.advance(2000)).rejects.toThrow('no');
  expect(clock.frozen).toBe(false);
  await clock.advance(1);
});

it('runs tasks when they are due, without a move of the clock', async () => {
  const clock = openClock();
  const at = clock.now() + 5;
  const fired = await new Promise<number>((resolve) => clock.at(at, () => resolve(clock.now())));
  expect(fired).toBeGreaterThanOrEqual(at);
  const order: string[] = [];
  const late = new Promise<void>((resolve) => {
    clock.at(clock.now() - 1000, () => {
      order.push('late');
      resolve();
    });
  });
  order.push('not within the call');
  await late;
  expect(order).toEqual(['not within the call', 'late']);
});

it('resolves a wait at its time, and ends the wait if its signal aborts [I173]', async () => {
  const clock = await frozenAt(0);
  const [come, gone] = [waitUntil(clock, 100), new AbortController()];
  const waiting = waitUntil(clock, 100, gone.signal);
  gone.abort(new Error('hung up'));
  await expect(waiting).rejects.toThrow('hung up');
  await expect(waitUntil(clock, 100, gone.signal)).rejects.toThrow('hung up');
  await clock.advance(100);
  await come;
  await waitUntil(clock, 50, gone.signal);
});
