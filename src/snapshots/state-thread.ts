import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Worker } from 'node:worker_threads';
import type { Database } from '../database/database.ts';
import { type ThreadFailure, thrownBy } from '../storage/thread-failure.ts';
import { endLies } from './moment-store.ts';
import { prepareState, type StateFile, type StateToPrepare } from './prepare-state.ts';

/** Always the built file: a worker is started by Node itself. */
const ENTRY = createRequire(import.meta.url).resolve('#state-worker');

/** Up to so many bytes a database is copied and checked at once: a thread takes as long to start. */
const SMALL = 4 * 1_048_576;
/** How long the thread may take to see a moment, in real milliseconds: it waits for nothing but the word. */
const SEEING = 1000;

/** What a thread is to do, once. `seen` is set by the copying thread as soon as later writes are not part of its copy. */
export type StateOrder =
  | { task: 'prepare'; state: StateToPrepare }
  | { task: 'copy'; source: string; target: string; seen: Int32Array };

/** What a thread says: that it can begin, that it is done, or what kept it from it. */
export type StateReport = { ready: true } | { done: StateFile[] } | ThreadFailure;

/** As `prepareState`, beside whatever else the process does when there is much of it. */
export async function prepareBeside(state: StateToPrepare): Promise<StateFile[]> {
  if (bytesOf(state.source) <= SMALL) return prepareState(state);
  const worker = start({ task: 'prepare', state });
  try {
    return await outcome(worker);
  } finally {
    await worker.terminate();
  }
}

/**
 * Writes all that is committed at one moment to a file that is not there yet, beside what goes on after it when there is
 * much of it. `atMoment` is called at that moment, and its answer is the answer.
 */
export async function copyState<T>(database: Database, target: string, atMoment: () => T): Promise<T> {
  if (bytesOf(database.file) + bytesOf(`${database.file}-wal`) <= SMALL) {
    database.copyTo(target);
    endLies(target);
    return atMoment();
  }
  const seen = new Int32Array(new SharedArrayBuffer(4));
  const worker = start({ task: 'copy', source: database.file, target, seen });
  try {
    const report = await next(worker);
    if (!('ready' in report)) throw faultOf(report);
    database.flush();
    worker.postMessage('now');
    if (Atomics.wait(seen, 0, 0, SEEING) === 'timed-out') throw new Error('the thread that copies the state is gone');
    const answer = atMoment();
    await outcome(worker);
    return answer;
  } finally {
    await worker.terminate();
  }
}

function start(order: StateOrder): Worker {
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  return new Worker(ENTRY, { workerData: order });
}

async function next(worker: Worker): Promise<StateReport> {
  const [report] = await once(worker, 'message');
  return report as StateReport;
}

async function outcome(worker: Worker): Promise<StateFile[]> {
  const report = await next(worker);
  if ('done' in report) return report.done;
  throw faultOf(report);
}

function faultOf(report: StateReport): unknown {
  const isFailure = 'refused' in report || 'failed' in report;
  return isFailure ? thrownBy(report) : new Error('the thread said something else than was expected of it');
}

function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
