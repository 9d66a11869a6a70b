import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Connection } from '../database/connection.ts';
import { threadFailure } from '../storage/thread-failure.ts';
import { Mask } from '../trace/mask.ts';
import { tracePage } from '../trace/write-trace.ts';
import { TraceRecord } from './collect-trace.ts';
import type { TraceAsk, TraceBytes, TraceOrder, TraceReport, TraceRows } from './trace-sources.ts';

run(workerData as TraceOrder).then(
  () => say({ done: true }),
  (error: unknown) => say(threadFailure(error)),
);

async function run(order: TraceOrder): Promise<void> {
  const database = new Connection(order.database, { mode: 'reading' });
  try {
    // Whatever is written meanwhile, the trace is of one moment.
    database.script('BEGIN');
    const record = new TraceRecord(order, { database, mask: new Mask(order.secrets), rows, file });
    await pipeline(tracePage(record.json()), createWriteStream(order.target, { mode: 0o600 }));
  } finally {
    database.close();
  }
}

async function* rows<Kind extends keyof TraceRows>(kind: Kind): AsyncGenerator<TraceRows[Kind]> {
  for (;;) {
    const piece = (await ask({ rows: kind })) as TraceRows[Kind][];
    if (piece.length === 0) return;
    yield* piece;
  }
}

async function file(path: string, query: string): Promise<TraceBytes | undefined> {
  return (await ask({ file: { path, query } })) as TraceBytes | undefined;
}

async function ask(wanted: TraceAsk): Promise<unknown> {
  say({ ask: wanted });
  const [answer] = parentPort ? await once(parentPort, 'message') : [];
  return answer;
}

function say(report: TraceReport): void {
  parentPort?.postMessage(report);
}
