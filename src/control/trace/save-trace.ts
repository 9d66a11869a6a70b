import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { distinctiveTexts, secretValues } from '../../base/config/secret-values.ts';
import { VERSION } from '../../base/package/package-folder.ts';
import { optional, text, withDefault } from '../../base/schemas.ts';
import { readEndpointUrlQueries } from '../../engine/webhooks/webhook-list-store.ts';
import type { Context } from '../../service/http/context.ts';
import { DownloadReply } from '../../service/http/replies.ts';
import { definePost } from '../control-operation.ts';
import { TRACE_MEDIA_SIZES, type TraceCollectionOptions, TraceCollector } from './collect-trace.ts';
import { TRACE_FORMAT_VERSION } from './trace-file.ts';
import { streamTracePage } from './trace-page.ts';

const HTML = 'text/html; charset=utf-8';
const MAX_LINES = 20_000;
const MAX_REQUESTS = { rows: 5000, bytes: 48 * 1_048_576 };

/** The most characters in all `secrets`, because searching takes about 300 bytes of memory for each character. */
const MAX_OF_SECRETS = 262_144;

const lengthOf = (texts: readonly string[]) => texts.reduce((sum, { length }) => sum + length, 0);

const line = z.strictObject({ at: z.number(), from: z.enum(['out', 'err']), text: z.string().max(20_000) });

const runBody = z.object({
  title: optional(text({ max: 500 })).describe(
    'the title, such as a command or a test (default: the address of the emulator).',
  ),
  account_id: optional(z.string()).describe('the id of an account; other accounts are omitted.'),
  media: withDefault(z.enum(TRACE_MEDIA_SIZES), 'small').describe(
    'small (thumbnails and waveforms), whole (every file) or none (default: small).',
  ),
  exit: optional(z.int()).describe('the exit code of the command.'),
  failure: optional(text({ max: 10_000 })).describe('the reason why the command failed, in one sentence.'),
  scenario: optional(z.array(text({ max: 1000 })).max(100)).describe(
    'the faults of the run, one per line, shown at the top of the trace.',
  ),
  began: optional(z.number()).describe("the start of the command by the machine's clock, a Unix time in milliseconds."),
  output: optional(z.array(line).max(MAX_LINES)).describe('the output of the command, an array of {at, from, text}.'),
  secrets: optional(
    z
      .array(z.string().min(3).max(131_072))
      .max(1000)
      .refine((texts) => lengthOf(texts) <= MAX_OF_SECRETS, {
        error: () => `must have at most ${MAX_OF_SECRETS.toLocaleString('en')} characters in all.`,
      }),
  ).describe('texts to mask, in addition to the secrets in the environment of the emulator.'),
});

export const saveTrace = definePost('saveTrace', '/_emulator/trace', {
  summary: 'Returns a trace: one HTML page with everything that was recorded.',
  body: runBody,
  answer: 'text/html',
  async handle(call) {
    const { context, body, baseUrl, gone } = call;
    const { account_id: accountId, media, output = [], secrets = [] } = body;
    const { title = baseUrl, exit = null, failure = null, scenario } = body;
    const requests = await context.records.journal.newest(accountId, MAX_REQUESTS);
    const order: TraceCollectionOptions = {
      ...{ baseUrl, accountId, media, requests, output },
      secrets: [...secretValues(), ...distinctiveTexts([...secrets, ...readEndpointUrlQueries(context.database)])],
      head: { format: TRACE_FORMAT_VERSION, version: VERSION, title, exit, failure, scenario },
      span: { began: body.began, firstLine: output[0]?.at, ended: context.clock.real() },
    };
    return new DownloadReply(await traceFile(order, context, gone), HTML);
  },
});

async function traceFile(order: TraceCollectionOptions, context: Context, gone: AbortSignal): Promise<Readable> {
  const target = context.storage.files.scratchPath();
  try {
    gone.throwIfAborted();
    const record = new TraceCollector(order, context);
    await pipeline(streamTracePage(record.json()), createWriteStream(target, { mode: 0o600 }), { signal: gone });
  } catch (error) {
    await rm(target, { force: true });
    throw gone.aborted ? gone.reason : error;
  }
  const page = createReadStream(target);
  page.once('close', () => void rm(target, { force: true }).catch(() => undefined));
  return page;
}
