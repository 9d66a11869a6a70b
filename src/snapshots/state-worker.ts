import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { asStorageError } from '../database/connection.ts';
import { EmulatorError } from '../errors.ts';
import { asDiskError } from '../storage/disk-error.ts';
import { copyMoment } from './moment-store.ts';
import { prepareState, type StateFile } from './prepare-state.ts';
import type { StateOrder, StateReport } from './state-thread.ts';

run(workerData as StateOrder).then(
  (done) => say({ done }),
  (error: unknown) => say(reportOf(error)),
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

/** Told as what it is here: a code does not outlive the way to another thread. */
function reportOf(thrown: unknown): StateReport {
  const error = asStorageError(asDiskError(thrown));
  if (!(error instanceof EmulatorError)) return { failed: error };
  const { code, message, param } = error;
  return { refused: { code, message, param } };
}

function say(report: StateReport): void {
  parentPort?.postMessage(report);
}
