import { z } from 'zod';
import { secretValues, tellingTexts } from '../config/secret-values.ts';
import type { Context } from '../http/context.ts';
import { optional, text, withDefault } from '../http/field-schemas.ts';
import { operation } from '../http/operation.ts';
import { Bytes } from '../http/reply.ts';
import { VERSION } from '../package/version.ts';
import { TRACE_FORMAT, type TraceFile } from '../trace/trace-file.ts';
import { collectTrace } from './collect-trace.ts';
import { gatherMedia, MEDIA } from './trace-media.ts';

const HTML = 'text/html; charset=utf-8';
/** More than a terminal has shown by anybody's patience. */
const MOST_LINES = 20_000;

const media = withDefault(z.enum(MEDIA), 'small').describe(
  'small: little pictures, and the peaks of sounds (the default); whole: every file; none.',
);

const line = z.strictObject({ at: z.number(), from: z.enum(['out', 'err']), text: z.string().max(20_000) });

/** What whoever asks knows of the run that the emulator does not. */
const runBody = z.object({
  title: optional(text({ max: 500 })).describe('the command or the test; by default the address of the emulator.'),
  account_id: optional(z.string()).describe('the id of an account: what was done as it, and nothing else.'),
  media,
  exit: optional(z.int()).describe('the exit code of the command.'),
  failure: optional(text({ max: 10_000 })).describe('why it failed, in a sentence.'),
  began: optional(z.number()).describe('when it began: milliseconds since 1970 of the machine’s clock.'),
  output: optional(z.array(line).max(MOST_LINES)).describe('lines of the command’s output: {at, from, text}.'),
  secrets: optional(z.array(z.string().min(3).max(131_072)).max(1000)).describe(
    'texts to be masked wherever they stand, beside those of the emulator’s own environment.',
  ),
});

export const saveTrace = operation({
  name: 'saveTrace',
  method: 'GET',
  path: '/_emulator/trace',
  summary: 'All that is on record, as one HTML page that needs no emulator: a trace.',
  access: 'local',
  query: z.object({ account_id: optional(z.string()).describe('the id of an account.'), media }),
  answer: 'text/html',
  handle({ context, query, baseUrl }) {
    return traceReply(context, baseUrl, runBody.parse(query));
  },
});

export const saveRunTrace = operation({
  name: 'saveRunTrace',
  method: 'POST',
  path: '/_emulator/trace',
  summary: 'The trace of a run, with what its command printed.',
  access: 'local',
  body: runBody,
  answer: 'text/html',
  handle: ({ context, body, baseUrl }) => traceReply(context, baseUrl, body),
});

async function traceReply(context: Context, baseUrl: string, run: z.output<typeof runBody>): Promise<Bytes> {
  const { writeTrace } = await import('../trace/write-trace.ts');
  const secrets = [...secretValues(), ...tellingTexts(run.secrets ?? [])];
  const trace = await context.reserve.granted(() => traceOf(context, baseUrl, run));
  return new Bytes(Buffer.from(await writeTrace(trace, secrets)), HTML);
}

async function traceOf(context: Context, baseUrl: string, run: z.output<typeof runBody>): Promise<TraceFile> {
  const { clock } = context;
  const ended = clock.real();
  const { leftOut, ...collected } = await collectTrace(context, { accountId: run.account_id, baseUrl });
  const gathered = await gatherMedia(context, collected.lists['/library'] ?? [], run.media);
  const output = run.output ?? [];
  const [first] = collected.tables.requests;
  const began = run.began ?? Math.min(first?.began ?? ended, output[0]?.at ?? ended);
  return {
    head: {
      format: TRACE_FORMAT,
      version: VERSION,
      title: run.title ?? baseUrl,
      exit: run.exit ?? null,
      failure: run.failure ?? null,
      span: { began: Math.min(began, ended - 1), ended },
      marks: clock.marks,
      leftOut: { ...leftOut, files: gathered.leftOut },
    },
    ...collected,
    output,
    media: gathered.media,
  };
}
