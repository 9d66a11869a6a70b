import { expect, it } from 'vitest';
import { VirtualClock } from '../../src/base/clock/virtual-clock.ts';
import { type QueueItem, type QueueParts, type QueueTask, WorkQueue } from '../../src/engine/work-queue.ts';

/** A queue of these items, whose work ends when the test calls `end`. */
function openQueue(pieces: QueueItem[], parts: Partial<QueueParts<QueueItem>> = {}) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const tasks = new Map<string, QueueTask<QueueItem>>();
  const clock = new VirtualClock();
  const queue = new WorkQueue<QueueItem>({
    clock,
    limits: { all: 2 },
    owners: () => [...new Set(pieces.map(({ owner }) => owner))],
    next: (owner, except) => pieces.find((each) => each.owner === owner && !except.includes(each.id)),
    async work(task) {
      const { id } = task.item;
      started.push(id);
      tasks.set(id, task);
      await new Promise<void>((resolve) => {
        ends.set(id, resolve);
        task.signal.addEventListener('abort', () => resolve());
      });
      if (task.signal.aborted) return;
      pieces.splice(
        pieces.findIndex((each) => each.id === id),
        1,
      );
    },
    ...parts,
  });
  const end = async (id: string) => {
    const over = queue.ended(id);
    ends.get(id)?.();
    await over;
    await new Promise(setImmediate);
  };
  const open = async () => {
    queue.open();
    await new Promise(setImmediate);
  };
  return { queue, clock, started, tasks, end, open };
}

const piecesOf = (...ids: string[]): QueueItem[] => ids.map((id) => ({ id, owner: id.charAt(0) }));

it('starts the next item of a work queue while the current item waits, even if only one item may work at a time', async () => {
  const { started, tasks, queue, open } = openQueue(piecesOf('a1', 'a2', 'a3'), { limits: { all: 9, working: 1 } });
  await open();
  expect(started).toEqual(['a1']);
  void tasks.get('a1')?.whileWaiting(() => new Promise(() => {}));
  await new Promise(setImmediate);
  expect(started).toEqual(['a1', 'a2']);
  expect(queue.tasks().map(({ item, isWaiting }) => [item.id, isWaiting])).toEqual([
    ['a1', true],
    ['a2', false],
  ]);
});

it('starts no item of a work queue before the queue is opened or after it is closed', async () => {
  const { queue, started, open } = openQueue(piecesOf('a1', 'a2', 'a3'));
  queue.wake('a');
  queue.start({ id: 'a1', owner: 'a' });
  await new Promise(setImmediate);
  expect(started).toEqual([]);
  await open();
  const told = [queue.ended('a1'), queue.ended('a3')];
  const closed = queue.close();
  queue.cut(new Error('the emulator is stopping'));
  await Promise.all([closed, ...told]);
  expect(queue.tasks()).toEqual([]);
  expect(started).toEqual(['a1', 'a2']);
});

it('reports a failed item of a work queue, and keeps it for another attempt', async () => {
  const told: unknown[] = [];
  const full = new Error('the disk is full');
  const { queue, open } = openQueue(piecesOf('a1', 'b1'), {
    limits: { all: 1 },
    work: () => Promise.reject(full),
    onError: (error) => told.push(error),
  });
  await open();
  await queue.settled();
  expect(told).toEqual([full]);
  expect(queue.tasks().map(({ item, isWaiting }) => [item.id, isWaiting])).toEqual([['a1', true]]);
  const closed = queue.close();
  queue.cutWaiting(new Error('the emulator is stopping'));
  await closed;
  expect(told).toEqual([full]);
});

it('starts no queued work while the database cannot be read, and reports the error', async () => {
  const told: unknown[] = [];
  const { queue, open } = openQueue(piecesOf('a1'), {
    next: () => {
      throw new Error('disk I/O error');
    },
    onError: (error) => told.push(error),
  });
  await open();
  await queue.settled();
  expect(told).toHaveLength(1);
  expect(queue.tasks()).toEqual([]);
});
