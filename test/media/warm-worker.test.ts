import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { startEmulator } from '../../src/index.ts';
import { WorkerRenderer } from '../../src/media/worker-renderer.ts';
import { emptyFolder } from '../cli/spawned-program.ts';
import { HandClock } from '../engine/webhooks/hand-clock.ts';
import { image } from './render-rig.ts';

/** The worker threads that this process started, in order. */
const begun: Worker[] = [];
const waiting: ((worker: Worker) => void)[] = [];
subscribe('worker_threads', (message) => {
  const { worker } = message as { worker: Worker };
  begun.push(worker);
  waiting.shift()?.(worker);
});
const nextWorker = () => new Promise<Worker>((resolve) => waiting.push(resolve));

it('prepares a worker for the first render, stops it after an idle minute, and renders again', async () => {
  const folder = emptyFolder();
  const clock = new HandClock();
  const renderer = new WorkerRenderer({ clock, workers: 2, scratchFolder: folder });
  renderer.warm();
  const worker = begun.at(-1);
  const count = begun.length;
  await renderer.render(image({}), join(folder, 'one.png'));
  expect(begun).toHaveLength(count);
  const ended = once(worker as Worker, 'exit');
  clock.elapse(60_000);
  await ended;
  await renderer.render(image({}), join(folder, 'two.png'));
  expect(begun).toHaveLength(count + 1);
  await renderer.close();
});

it('prepares a render worker at the start if a program starts the emulator with the option warm, but not without it', async () => {
  const count = begun.length;
  const first = nextWorker();
  const cold = await startEmulator();
  const warm = await startEmulator({ warm: true });
  await first;
  await Promise.all([cold.close(), warm.close()]);
  // By now, the emulator without the option would have started a worker.
  expect(begun.length).toBe(count + 1);
});
