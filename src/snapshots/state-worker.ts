import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { threadFailure } from '../storage/thread-failure.ts';
import { copyMoment } from './moment-store.ts';
import { prepareState, type StateFile } from './prepare-state.ts';
import type { StateOrder, StateReport } from './state-thread.ts';

run(workerData as StateOrder).then(
  (done) => say({ done }),
  (error: unknown) => say(threadFailure(error)),
);

async function run(order: StateOrder): Promise<StateFile[]> {
  if (order.task === 'prepare') return prepareState(order.state);
  await copyMoment(order.source, order.target, async () => {
    say({ ready: true });
    if (parentPort) await once(parentPort, 'message');
    return () => {
      Atomics.store(order.seen, 0, 1);
      Atomics.notify(order.seen, 0);
    };
  });
  return [];
}

function say(report: StateReport): void {
  parentPort?.postMessage(report);
}
