import { parentPort, workerData } from 'node:worker_threads';
import { openSqlite } from './open-sqlite.ts';

const { from, to } = workerData as { from: string; to: string };
const sqlite = openSqlite(from, { readonly: true });
const copy = sqlite.prepare('VACUUM INTO ?');
parentPort?.postMessage('begun');
copy.run(to);
sqlite.close();
