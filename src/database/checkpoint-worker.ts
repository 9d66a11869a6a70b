import { parentPort, workerData } from 'node:worker_threads';
import type { CheckpointOrder } from './checkpointer.ts';
import { openSqlite } from './open-sqlite.ts';

/** What is committed during one pass is left to the next, shorter one; only when nothing is left is the log started again. */
const PASSES = 8;

const { file, synchronous } = workerData as CheckpointOrder;

parentPort?.on('message', (order: string | null) => {
  if (order === null) return parentPort?.close();
  try {
    checkpoint();
  } catch {
    // The file is gone or the disk is full: the log stays as it is, and so does all that is in it.
  }
  parentPort?.postMessage('done');
});

function checkpoint(): void {
  const sqlite = openSqlite(file, { fileMustExist: true, timeout: 0 });
  try {
    sqlite.exec(`PRAGMA synchronous = ${synchronous}`);
    for (let passes = 0; passes < PASSES; passes += 1) {
      const pass = sqlite.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() as Pass | undefined;
      if (pass?.log === pass?.checkpointed) return;
    }
  } finally {
    sqlite.close();
  }
}

interface Pass {
  log: number;
  checkpointed: number;
}
