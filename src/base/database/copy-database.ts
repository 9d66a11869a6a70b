import { once } from 'node:events';
import { createRequire } from 'node:module';
import { translateSqliteDiskError } from './connection.ts';

/** The built file of the thread, because Node 20 cannot run TypeScript. */
const ENTRY = createRequire(import.meta.url).resolve('#copy-worker');

/**
 * Writes the committed state of a database to a new file. Another thread does it with its own connection, because
 * SQLite would block the event loop for a second per 100 MiB. Calls `meanwhile` as it begins, and resolves with its
 * result once the file is written. Rejects with `storage_full` on a full disk.
 */
export async function copyDatabase<T>(from: string, to: string, meanwhile: () => Promise<T>): Promise<T> {
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const thread = new Worker(ENTRY, { workerData: { from, to } });
  const begun = new Promise<T>((resolve) => {
    thread.once('message', () => resolve(meanwhile()));
  });
  try {
    // `once` rejects if the thread has an error.
    const [result] = await Promise.all([begun, once(thread, 'exit')]);
    return result;
  } catch (error) {
    throw translateSqliteDiskError(error);
  }
}
