import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

/** `REQUEST FOLDER`: renders a request in a worker of this process, and prints the SHA-256 of the result. */
const [request, folder] = process.argv.slice(2);
const target = join(folder, `elsewhere-${process.pid}`);
const entry = createRequire(import.meta.url).resolve('#render-worker');
const worker = new Worker(entry, { workerData: { scratchFolder: folder, timeLimitMs: 60_000 } });
worker.on('message', async (report) => {
  if (report.kind === 'progress') return;
  const content = report.content ?? readFileSync(target);
  console.log(createHash('sha256').update(content).digest('hex'));
  await worker.terminate();
});
worker.postMessage({ kind: 'render', id: 1, request: JSON.parse(request), target });
