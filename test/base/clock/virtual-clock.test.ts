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

it('does not advance a frozen clock, and continues from the same time once it is unfrozen [I086]', async () => {
  const clock = await frozenAt(5000);
  expect([clock.now(), clock.frozen]).toEqual([5000, true]);
  await clock.set({ frozen: false });
  expect(clock.frozen).toBe(false);
  expect(clock.now() - 5000).toBeLessThan(1000);
});

it('keeps the settings of the clock that a change omits [I086 I198]', async () => {
  const clock = await frozenAt(5000);
  await clock.set({ now: 9000 });
  expect([clock.now(), clock.frozen]).toEqual([9000, true]);
  await clock.set({ frozen: true });
  expect(clock.now()).toBe(9000);
});

it('reports real time separately from its own time', async () => {
  const clock = await frozenAt(5000);
  expect(clock.real()).toBeGreaterThan(Date.UTC(2024, 0, 1));
});

it('runs due tasks in the order of their times, each at its own time [I086]', async () => {
  const clock = await frozenAt(0);
  const seen: [string, number][] = [];
  const note = (name: string) => () => void seen.push([name, clock.now()]);
  clock.at(300, note('c'));
  clock.at(100, note('a'));
  clock.at(200, note('b'));
  clock.at(200, note('b too'));
  clock.at(400, note('d'));
  await clock.advance(300);
  expect(seen).toEqual([
    ['a', 100],
    ['b', 200],
    ['b too', 200],
    ['c', 300],
  ]);
  expect(clock.now()).toBe(300);
});

it('waits for every due task, including tasks that a task adds [I086]', async () => {
  const clock = await frozenAt(0);
  const seen: string[] = [];
  clock.at(10, async () => {
    await new Promise((resolve) => setImmediate(resolve));
    seen.push('slow');
    clock.at(20, () => void seen.push('added'));
    clock.at(99, () => void seen.push('too late'));
  });
  clock.at(30, () => void seen.push('last'));
  await clock.advance(50);
  expect(seen).toEqual(['slow', 'added', 'last']);
});

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

it('applies both of two overlapping moves of the clock [I086]', async () => {
  const clock = await frozenAt(0);
  clock.at(5, () => new Promise((resolve) => setImmediate(resolve)));
  await Promise.all([clock.advance(10), clock.advance(10), clock.advance(10)]);
  expect(clock.now()).toBe(30);
});

it('reports a task that failed, and continues with the next task', async () => {
  const clock = openClock();
  clock.at(clock.now() + 1000, () => Promise.reject(new Error('no')));
  await expect(clock.advance(2000)).rejects.toThrow('no');
  expect(clock.frozen).toBe(false);
  await clock.advance(1);
});

it('runs due tasks while the clock runs, without a move of the clock', async () => {
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

it('continues the clock from a saved state [I155]', async () => {
  const clock = openClock();
  clock.restore({ offset: 0, frozenAt: 1234 });
  expect([clock.now(), clock.state]).toEqual([1234, { offset: 0, frozenAt: 1234 }]);
  clock.restore({ offset: 3_600_000, frozenAt: null });
  expect(clock.now() - clock.real()).toBeGreaterThanOrEqual(3_599_000);
});

it('cancels all tasks and waits when the clock is cleared [I085]', async () => {
  const clock = await frozenAt(0);
  const seen: string[] = [];
  clock.at(10, () => void seen.push('never'));
  clock.after(0, () => void seen.push('never'));
  clock.clear();
  await clock.set({ now: clock.now() + 1000 });
  await new Promise((resolve) => setImmediate(resolve));
  expect([clock.frozen, seen]).toEqual([false, []]);
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
