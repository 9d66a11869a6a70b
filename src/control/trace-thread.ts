import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Readable } from 'node:stream';
import type { Worker } from 'node:worker_threads';
import { thrownBy } from '../storage/thread-failure.ts';
import type { TraceOrder, TraceReport } from './trace-order.ts';
import type { TraceSources } from './trace-sources.ts';

/** Always the built file: a worker is started by Node itself. */
const ENTRY = createRequire(import.meta.url).resolve('#trace-worker');

/** Mebibytes that what is soon gone may take, so that it is collected soon: else it is as much as the record. */
const YOUNG = 8;

/** The page of a trace, made in a thread of its own into a file that goes once it is read. Throws the reason when `gone` ends. */
export async function traceBeside(order: TraceOrder, sources: TraceSources, gone: AbortSignal): Promise<Readable> {
  try {
    await made(order, sources, gone);
  } catch (error) {
    await rm(order.target, { force: true });
    throw gone.aborted ? gone.reason : error;
  }
  const page = createReadStream(order.target);
  page.once('close', () => void rm(order.target, { force: true }).catch(() => undefined));
  return page;
}

async function made(order: TraceOrder, sources: TraceSources, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const worker: Worker = new Worker(ENTRY, {
    workerData: order,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG },
  });
  try {
    for (;;) {
      const [report] = (await once(worker, 'message', { signal })) as [TraceReport];
      if ('done' in report) return;
      if (!('ask' in report)) throw thrownBy(report);
      worker.postMessage(await sources.answer(report.ask));
    }
  } finally {
    await worker.terminate();
  }
}
