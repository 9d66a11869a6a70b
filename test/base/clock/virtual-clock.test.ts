import { expect, it, onTestFinished } from 'vitest';
import { VirtualClock } from '../../../src/base/clock/virtual-clock.ts';

function openClock() {
  const clock = new VirtualClock();
  onTestFinished(() => clock.clear());
  return clock;
}

it('does not run a task when the clock is set back, but when the time of the task comes', async () => {
  const clock = openClock();
  await clock.set({ now: 1000, frozen: true });
  const seen: number[] = [];
  clock.at(1500, () => void seen.push(clock.now()));
  await clock.set({ now: 10 });
  expect([clock.now(), seen]).toEqual([10, []]);
  await clock.set({ now: 2000 });
  expect(seen).toEqual([1500]);
});

it('reports a task of the clock that fails, and can move the clock again afterwards', async () => {
  const clock = openClock();
  clock.at(clock.now() + 1000, () => Promise.reject(new Error('no')));
  await expect(clock.advance(2000)).rejects.toThrow('no');
  expect(clock.frozen).toBe(false);
  const before = clock.now();
  await clock.advance(1);
  expect(clock.now()).toBeGreaterThan(before);
});
