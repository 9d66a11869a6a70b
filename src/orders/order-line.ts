import { realTimeOf } from '../clock/clock-marks.ts';
import { isFinal, type Job } from '../jobs/job.ts';
import type { JournalEntry } from '../journal/journal-record.ts';
import { errorOf, type OrderRecords } from './order-records.ts';
import { type OrderStatus, orderStatus } from './order-status.ts';

/** One order as a row shows it. `began` is the machine's time and `took` the whole order's, both in milliseconds. */
export interface OrderLine {
  id: string;
  /** `took` counts on while it is under way. */
  time: { began: number; took: number; is_open: boolean };
  asked: { words: string; model: string | null; what: string; reads: number };
  call: { method: string; path: string; operation: string | null; fault: string | null };
  whose: { account_id: string | null; key_id: string | null };
  fate: OrderStatus;
  error: { code: string; message: string } | null;
  /** It belongs to a future that a restore has discarded. */
  discarded?: true | undefined;
  /** Of what it made: the first render, what it is, and how long. */
  made: { library_id: string; medium: string; seconds: number | null } | null;
  /** What can be done about it: the refused delivery that can be sent again, the run that waits. */
  todo: { redeliver: string | null; run: string | null };
}

/** `reads`: how many requests have read its jobs. */
export function orderLine(records: OrderRecords, reads: number): OrderLine {
  const { id, request, run } = records;
  const fate = orderStatus(records);
  const account = request?.account_id ?? run?.run.accountId ?? records.jobs[0]?.accountId ?? null;
  return {
    id,
    time: timeOf(records),
    asked: { ...askedOf(records), reads },
    call: callOf(request),
    whose: { account_id: account, key_id: request?.key_id ?? null },
    fate,
    error: request ? errorIn(request) : null,
    discarded: request?.discarded,
    made: madeOf(records),
    todo: {
      redeliver: fate.deliveries?.tone === 'bad' ? lastRefused(records) : null,
      run: run?.run.status === 'waiting' ? run.run.id : null,
    },
  };
}

function callOf(request: JournalEntry | undefined): OrderLine['call'] {
  if (!request) return { method: '', path: '', operation: null, fault: null };
  const { method, path, operation, fault = null } = request;
  return { method, path: path.slice(0, 300), operation, fault };
}

function errorIn(request: JournalEntry): OrderLine['error'] {
  const error = errorOf(request);
  return error && request.status >= 400 ? { code: error.code, message: error.message.slice(0, 300) } : null;
}

/** When it began, and how long it took to its last stamp. */
export function timeOf({ request, jobs, events, deliveries, run, clock }: OrderRecords): OrderLine['time'] {
  const { marks, now } = clock;
  const real = (at: number, from: number) => realTimeOf(marks, at, from);
  const first = run?.run.started ?? jobs[0]?.created ?? events[0]?.created ?? now;
  const began = request?.began ?? real(first, 0);
  const ends = [
    request ? request.began + request.duration_ms : began,
    ...jobs.flatMap(({ completed }) => (completed === null ? [] : [real(completed, began)])),
    ...deliveries.flatMap(({ attemptedAt, durationMs }) =>
      attemptedAt === null ? [] : [attemptedAt + (durationMs ?? 0)],
    ),
  ];
  const isOpen = jobs.some(({ status }) => !isFinal(status)) || run?.run.status === 'running';
  return { began, took: (isOpen ? now : Math.max(...ends)) - began, is_open: isOpen };
}

function madeOf({ jobs }: OrderRecords): OrderLine['made'] {
  const done = jobs.find(({ result }) => result && 'library_id' in result);
  const [first] = jobs;
  if (!done) return first ? { library_id: '', medium: first.medium, seconds: null } : null;
  return { library_id: libraryOf(done), medium: done.medium, seconds: secondsOf(done) };
}

function libraryOf({ result }: Job): string {
  return result && 'library_id' in result ? result.library_id : '';
}

function secondsOf({ outcome }: Job): number | null {
  return outcome && 'file' in outcome ? (outcome.seconds ?? null) : null;
}

function lastRefused({ deliveries }: OrderRecords): string | null {
  return deliveries.findLast(({ status }) => status === 'failed')?.id ?? null;
}

/** What was asked for, in the words of the request. */
interface Asked {
  /** The beginning of the prompt; empty where none was given. */
  words: string;
  model: string | null;
  /** What else distinguishes one order from another: `5 s`, `2 takes of 60 s`, `stream`. */
  what: string;
}

/** How much of a prompt is shown. */
const MOST_WORDS = 300;
const TEXTS = ['title', 'prompt', 'input', 'text', 'style', 'lyrics', 'name', 'url'] as const;
/** Of a body that was cut, and so is no JSON any more. */
const CUT_TEXT = /"(?:prompt|input|content|title)"\s*:\s*"((?:[^"\\]|\\.){1,300})/;
const CUT_MODEL = /"model"\s*:\s*"([^"\\]{1,80})"/;

export function askedOf({ request, jobs, run }: OrderRecords): Asked {
  const body = bodyOf(request);
  const [job] = jobs;
  const words = wordsOf(body) || wordsOf(job?.parameters) || (run ? run.run.flowName : '');
  const model = textIn(body, 'model') ?? job?.model ?? null;
  return { words: shortened(words), model, what: whatOf(body, jobs) };
}

/** The JSON body of a request as far as it was kept; undefined for none. */
function bodyOf(request: Pick<JournalEntry, 'request'> | undefined): Record<string, unknown> | undefined {
  const kept = request?.request;
  if (!kept) return undefined;
  try {
    const value: unknown = JSON.parse(kept);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    const prompt = readString(CUT_TEXT.exec(kept)?.[1]);
    return { ...(prompt ? { prompt } : {}), model: CUT_MODEL.exec(kept)?.[1] };
  }
}

/** Title and prompt, or the last message of a chat. */
function wordsOf(body: Record<string, unknown> | undefined): string {
  if (!body) return '';
  if (Array.isArray(body.messages)) return lastMessage(body.messages);
  const [first, second] = TEXTS.flatMap((name) => textIn(body, name) ?? []);
  if (first === undefined) return '';
  return textIn(body, 'title') && second ? `${first}: ${second}` : first;
}

function lastMessage(messages: readonly unknown[]): string {
  const texts = messages.flatMap((message) => contentOf(fieldOf(message, 'content')) || []);
  return texts.at(-1) ?? '';
}

function contentOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.flatMap((part) => textIn(part, 'text') ?? []).join(' ');
}

function whatOf(body: Record<string, unknown> | undefined, jobs: readonly Job[]): string {
  const seconds = fieldOf(body, 'seconds') ?? fieldOf(jobs[0]?.parameters, 'seconds');
  const length = typeof seconds === 'number' ? `${seconds} s` : (textIn(body, 'duration') ?? '').replace(/s$/, ' s');
  if (jobs.length > 1) return `${jobs.length} takes${length && ` of ${length}`}`;
  if (length !== '') return length;
  if (fieldOf(body, 'stream') === true) return 'stream';
  return fieldOf(body, 'store') === true ? 'stored' : '';
}

function shortened(words: string): string {
  const plain = words
    .slice(0, MOST_WORDS * 2)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return Array.from(plain).slice(0, MOST_WORDS).join('');
}

function readString(escaped: string | undefined): string | undefined {
  if (escaped === undefined) return undefined;
  try {
    return String(JSON.parse(`"${escaped}"`));
  } catch {
    return escaped;
  }
}

function textIn(value: unknown, name: string): string | undefined {
  const field = fieldOf(value, name);
  return typeof field === 'string' && field !== '' ? field : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
