import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { PoolWorker } from '../../src/media/pool-worker.ts';

const picture = { kind: 'image', model: 'svc-image-one', prompt: 'a lighthouse', seed: 7 } as const;
const speech = { kind: 'speech', model: 'svc-voice-one', text: 'Hello.', voice: 'aria' } as const;

const start = () => new PoolWorker({ scratchFolder: tmpdir(), timeLimitMs: 60_000 });
const order = (id: number) => ({ kind: 'render', id, request: picture, target: 'written by the pool' }) as const;

it('rejects the render during which its thread ends, and keeps the waiting ones', async () => {
  const worker = start();
  const ends = [worker.render(order(1)), worker.render(order(2))];
  const [first] = await Promise.allSettled([...ends, worker.stop()]);
  expect(first).toMatchObject({ status: 'rejected', reason: { code: 'render_failed' } });
  expect(await ends[1]).toBeUndefined();
  expect(worker.alive).toBe(false);
});

it('interrupts a worker only for the render in progress', async () => {
  const worker = start();
  const [first, second] = [worker.render(order(1)), worker.render(order(2))];
  worker.cutOff(2);
  expect(worker.alive).toBe(true);
  expect((await first)?.content?.length).toBeGreaterThan(10_000);
  expect((await second)?.content).toEqual((await first)?.content);
  const third = worker.render(order(3));
  worker.cutOff(3);
  await expect(third).rejects.toMatchObject({ code: 'render_failed' });
  expect(worker.alive).toBe(false);
});

it('queues one image behind another in a worker, and nothing else', async () => {
  const worker = start();
  expect([worker.idle, worker.canLineUp(picture)]).toEqual([true, false]);
  const first = worker.render(order(1));
  expect([worker.idle, worker.canLineUp(picture), worker.canLineUp(speech)]).toEqual([false, true, false]);
  const second = worker.render(order(2));
  expect(worker.canLineUp(picture)).toBe(false);
  await Promise.all([first, second]);
  expect(worker.idle).toBe(true);
  await worker.stop();
});
