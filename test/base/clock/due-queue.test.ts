import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DueQueue } from '../../../src/base/clock/due-queue.ts';

it('returns due tasks by time, and tasks of the same time in the order of their addition', () => {
  const entry = fc.record({ at: fc.nat(20), cancelled: fc.boolean() });
  fc.assert(
    fc.property(fc.array(entry), (entries) => {
      const queue = new DueQueue();
      const dues = entries.map(({ at }) => queue.push(at, () => undefined));
      dues.forEach((due, n) => {
        if (entries[n]?.cancelled) queue.cancel(due);
      });
      const wanted = dues.filter(({ cancelled }) => !cancelled).sort((a, b) => a.at - b.at || a.order - b.order);
      expect(wanted.map(() => queue.pop())).toEqual(wanted);
      expect(queue.pop()).toBeUndefined();
    }),
    { seed: 7 },
  );
});

it('keeps no task after the queue of the clock is cleared', () => {
  const queue = new DueQueue();
  for (const at of [1, 2]) queue.push(at, () => undefined);
  queue.clear();
  expect(queue.peek()).toBeUndefined();
});
