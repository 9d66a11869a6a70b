import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { SqlReport } from './sql-answer.ts';

/** What a statement may take beyond what its process has when it begins, and how often that is looked at: bytes, milliseconds. */
const MOST_MEMORY = 48 * 1_048_576;
const INTERVAL = 1;
/** A thread has no other way to it while the first one is busy: a file descriptor. */
const STANDARD_OUTPUT = 1;

/** Resolves once a thread of its own runs `watchMemory`: SQLite keeps the other busy until it has a row. */
export async function startWatch(entry: string, columns: string[]): Promise<void> {
  const watch = new Worker(entry, { workerData: columns });
  await once(watch, 'message');
  watch.unref();
}

/** Ends the process as soon as it has taken too much: what was to be read is more than is answered. */
export function watchMemory(): void {
  const most = process.memoryUsage.rss() + MOST_MEMORY;
  const pause = new Int32Array(new SharedArrayBuffer(4));
  parentPort?.postMessage('watching');
  while (process.memoryUsage.rss() < most) Atomics.wait(pause, 0, 0, INTERVAL);
  const report: SqlReport = { columns: workerData, rows: [], truncated: true };
  writeSync(STANDARD_OUTPUT, JSON.stringify(report));
  process.kill(process.pid, 'SIGKILL');
}
