import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Readable } from 'node:stream';
import type { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { secretValues, tellingTexts } from '../config/secret-values.ts';
import type { Context } from '../http/context.ts';
import { optional, text, withDefault } from '../http/input.ts';
import { operation } from '../http/operation.ts';
import { Download } from '../http/replies.ts';
import { MOST_CONSIDERED } from '../orders/explain-call.ts';
import { VERSION } from '../package/version.ts';
import { thrownBy } from '../storage/thread-failure.ts';
import { TRACE_FORMAT } from '../trace/trace-file.ts';
import { readUrlQueries } from '../webhooks/delivery-store.ts';
import { accountQuery } from './list-page.ts';
import { MEDIA, type TraceOrder, type TraceReport, TraceSources } from './trace-sources.ts';

const HTML = 'text/html; charset=utf-8';
/** More lines than a person reads. */
const MOST_LINES = 20_000;

/** Characters of all secrets of a call: what they are looked for with takes three hundred bytes for each. */
const MOST_OF_SECRETS = 262_144;

const lengthOf = (texts: readonly string[]) => texts.reduce((sum, { length }) => sum + length, 0);

const media = withDefault(z.enum(MEDIA), 'small').describe(
  'small: little pictures, and the peaks of sounds (the default); whole: every file; none.',
);

const line = z.strictObject({ at: z.number(), from: z.enum(['out', 'err']), text: z.string().max(20_000) });

/** What the caller knows of the run and the emulator does not. */
const runBody = z.object({
  title: optional(text({ max: 500 })).describe('the command or the test; by default the address of the emulator.'),
  account_id: optional(z.string()).describe('the id of an account: what was done as it, and nothing else.'),
  media,
  exit: optional(z.int()).describe('the exit code of the command.'),
  failure: optional(text({ max: 10_000 })).describe('why it failed, in a sentence.'),
  schedule: optional(z.array(text({ max: 1000 })).max(100)).describe(
    'what was made to happen in it, a line each: shown above it.',
  ),
  open_at: optional(z.number()).describe('the moment at which it opens, as began; by default its end.'),
  began: optional(z.number()).describe('when it began: milliseconds since 1970 of the machine’s clock.'),
  output: optional(z.array(line).max(MOST_LINES)).describe('lines of the command’s output: {at, from, text}.'),
  secrets: optional(
    z
      .array(z.string().min(3).max(131_072))
      .max(1000)
      .refine((texts) => lengthOf(texts) <= MOST_OF_SECRETS, {
        error: `must hold at most ${MOST_OF_SECRETS.toLocaleString('en')} characters in all.`,
      }),
  ).describe('texts to be masked wherever they stand, beside those of the emulator’s own environment.'),
});

export const saveTrace = operation({
  name: 'saveTrace',
  method: 'GET',
  path: '/_emulator/trace',
  summary: 'All that is on record, as one HTML page that needs no emulator: a trace.',
  access: 'local',
  query: accountQuery.extend({ media }),
  answer: 'text/html',
  handle: ({ context, query, baseUrl, gone }) => traceReply({ context, baseUrl, run: runBody.parse(query), gone }),
});

export const saveRunTrace = operation({
  name: 'saveRunTrace',
  method: 'POST',
  path: '/_emulator/trace',
  summary: 'The trace of a run, with what its command printed.',
  access: 'local',
  body: runBody,
  answer: 'text/html',
  handle: ({ context, body, baseUrl, gone }) => traceReply({ context, baseUrl, run: body, gone }),
});

/** Who asks for the trace of which run. */
interface TraceCall {
  context: Context;
  baseUrl: string;
  run: z.output<typeof runBody>;
  gone: AbortSignal;
}

function traceReply(call: TraceCall): Promise<Download> {
  const { context, run, gone } = call;
  return context.reserve.granted(async () => {
    const sources = await TraceSources.open(context, run.account_id, run.output ?? []);
    return new Download(await traceBeside(orderOf(call, sources), sources, gone), HTML);
  });
}

function orderOf({ context, baseUrl, run }: TraceCall, { leftOut }: TraceSources): TraceOrder {
  const { config, database, files, clock, catalogue, fixtures, flows } = context;
  const { title = baseUrl, exit = null, failure = null, output = [], schedule, open_at: openAt } = run;
  return {
    database: database.file,
    target: files.scratchPath(),
    baseUrl,
    accountId: run.account_id,
    media: run.media,
    secrets: [...secretValues(), ...tellingTexts([...(run.secrets ?? []), ...readUrlQueries(database)])],
    head: { format: TRACE_FORMAT, version: VERSION, title, exit, failure, schedule, openAt, marks: clock.marks },
    span: { began: run.began, firstLine: output[0]?.at, ended: clock.real() },
    leftOut,
    now: clock.now(),
    seed: config.seed,
    catalogue: catalogue.file,
    fixtures: fixtures.sent(MOST_CONSIDERED),
    kinds: flows.outputKinds,
  };
}

/** Always the built file: a worker is started by Node itself. */
const ENTRY = createRequire(import.meta.url).resolve('#trace-worker');

/** Mebibytes that what is soon gone may take, so that it is collected soon: else it is as much as the record. */
const YOUNG = 8;

/** The page of a trace, made in a thread of its own into a file that goes once it is read. Throws the reason when `gone` ends. */
async function traceBeside(order: TraceOrder, sources: TraceSources, gone: AbortSignal): Promise<Readable> {
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
