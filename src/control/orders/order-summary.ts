import { z } from 'zod';
import { tryParseJson } from '../../base/text.ts';
import { isFinal, type Job } from '../../engine/jobs/job-store.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import { decisiveAttempts, OUTCOME_TONES, type OutcomeTone, sumChargesAndRefunds } from './order-records.ts';
import type { OrderRecords } from './stored-orders.ts';
import { timeSpanOfOrder } from './timeline-entries.ts';
import type { TimelineEntry } from './timeline-entry.ts';

const tone = z.enum(OUTCOME_TONES);
/** `done` counts the jobs that succeeded, the events that were published, or the deliveries that were accepted. */
const link = z.strictObject({ done: z.int(), of: z.int(), tone }).nullable();

export const orderSummarySchema = z.strictObject({
  id: z.string(),
  /** `began` is the machine's time, and `took` grows while the order is open. Both are in milliseconds. */
  time: z.strictObject({ began: z.number(), took: z.number(), is_open: z.boolean() }),
  /**
   * `prompt` is the beginning of the prompt or of another text of the order, or empty. `kind` has other parameters,
   * such as `5 s`, `2 takes of 60 s` or `stream`. `reads` is the number of requests that read the jobs of the order.
   */
  request: z.strictObject({ prompt: z.string(), model: z.string().nullable(), kind: z.string(), reads: z.int() }),
  call: z.strictObject({
    method: z.string(),
    path: z.string(),
    operation: z.string().nullable(),
    fault: z.string().nullable(),
  }),
  account: z.strictObject({ id: z.string().nullable(), key_id: z.string().nullable() }),
  status: z.strictObject({
    answer: z.strictObject({ status: z.int(), tone, cut: z.boolean() }).nullable(),
    work: link,
    events: link,
    deliveries: link,
    money: z.strictObject({ charged: z.int(), refunded: z.int() }),
    text: z.string(),
    tone,
  }),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  /**
   * The first result of the order. `library_id` is empty until a render has succeeded. Null for an order without jobs.
   */
  made: z.strictObject({ library_id: z.string(), medium: z.string(), seconds: z.number().nullable() }).nullable(),
  action: z.strictObject({ redeliver: z.string().nullable(), run: z.string().nullable() }),
});

type OrderLine = z.infer<typeof orderSummarySchema>;
type Status = OrderLine['status'];
type Link = NonNullable<Status['work']>;

export function summarizeOrder(records: OrderRecords, steps: readonly TimelineEntry[], reads: number): OrderLine {
  const { id, request, run, jobs, deliveries } = records;
  const status = orderStatus(records, steps);
  const account = request?.account_id ?? run?.run.accountId ?? jobs[0]?.accountId ?? null;
  const refused = deliveries.findLast((each) => each.status === 'failed');
  const error = steps.find(({ kind }) => kind === 'returned')?.data.error;
  return {
    id,
    time: timeSpanOfOrder(records),
    request: { ...requestSummary(records), reads },
    call: {
      method: request?.method ?? '',
      path: request?.path.slice(0, 300) ?? '',
      operation: request?.operation ?? null,
      fault: request?.fault ?? null,
    },
    account: { id: account, key_id: request?.key_id ?? null },
    status,
    error: error ? { code: error.code, message: error.message.slice(0, 300) } : null,
    made: madeOf(jobs),
    action: {
      redeliver: status.deliveries?.tone === 'bad' ? (refused?.id ?? null) : null,
      run: run?.run.status === 'waiting' ? run.run.id : null,
    },
  };
}

function madeOf(jobs: readonly Job[]): OrderLine['made'] {
  for (const { result, outcome, medium } of jobs) {
    if (!result || 'error' in result) continue;
    const seconds = outcome && 'file' in outcome ? (outcome.file.seconds ?? null) : null;
    return { library_id: result.library_id, medium, seconds };
  }
  const [first] = jobs;
  return first ? { library_id: '', medium: first.medium, seconds: null } : null;
}

const MAX_NAMED = 3;
const WORST_FIRST: readonly OutcomeTone[] = ['bad', 'wait', 'work', 'plain', 'good'];

function orderStatus(records: OrderRecords, steps: readonly TimelineEntry[]): Status {
  const { request, jobs, events, deliveries, run } = records;
  const money = sumChargesAndRefunds(records);
  const decisive = decisiveSteps(records, steps);
  const tone = WORST_FIRST.find((each) => decisive.some((step) => step.tone === each)) ?? 'good';
  const isOrder = jobs.length > 0 || run !== undefined;
  return {
    answer: request ? answerOf(request, tone) : null,
    work: jobs.length > 0 ? workLink(jobs) : null,
    events: isOrder || events.length > 0 ? eventLink(records) : null,
    deliveries: isOrder || deliveries.length > 0 ? deliveryLink(records) : null,
    money,
    tone: tone === 'plain' ? 'good' : tone,
    text: tone === 'good' || tone === 'plain' ? endOf(records, decisive) : worstOf(decisive, tone, money),
  };
}

function decisiveSteps({ deliveries }: OrderRecords, steps: readonly TimelineEntry[]): TimelineEntry[] {
  const last = new Set(decisiveAttempts(deliveries).map(({ id }) => id));
  const isReported = steps.some(({ kind, tone }) => kind === 'returned' && tone === 'bad');
  return steps.filter(({ id, kind }) => {
    if (kind === 'delivered') return last.has(id);
    // A failed job does not count if the response already counts as bad.
    if (kind === 'failed') return !isReported;
    return kind === 'returned' || kind === 'queued' || kind === 'started' || kind === 'run';
  });
}

function endOf({ request }: OrderRecords, decisive: readonly TimelineEntry[]): string {
  const redelivered = decisive.findLast(({ data }) => data.redelivery_of);
  return redelivered?.text ?? (request?.method === 'GET' ? 'read' : 'done');
}

function worstOf(
  decisive: readonly TimelineEntry[],
  tone: OutcomeTone,
  { charged, refunded }: Status['money'],
): string {
  const texts = decisive.flatMap((step) => (step.tone === tone ? [step.text] : []));
  const more = texts.length > MAX_NAMED ? ` and ${texts.length - MAX_NAMED} more` : '';
  const isFullyRefunded = tone === 'bad' && refunded > 0 && refunded === charged;
  const end = isFullyRefunded ? ', fully refunded' : '';
  return texts.slice(0, MAX_NAMED).join(' · ') + more + end;
}

function answerOf(request: JournalEntry, all: OutcomeTone): Status['answer'] {
  const { status, cut = false } = request;
  if (status === 0 || status >= 400 || cut) return { status, tone: 'bad', cut };
  return { status, tone: all === 'good' || all === 'plain' ? 'good' : 'plain', cut };
}

function workLink(jobs: readonly Job[]): Link {
  const done = jobs.filter(({ status }) => status === 'succeeded').length;
  const failed = jobs.some(({ status }) => status === 'failed');
  const open = jobs.some(({ status }) => !isFinal(status));
  return { done, of: jobs.length, tone: failed ? 'bad' : open ? 'work' : 'plain' };
}

function eventLink({ events, jobs, run }: OrderRecords): Link {
  const of = jobs.length + (run ? 1 : 0);
  return { done: events.length, of: Math.max(of, events.length), tone: 'plain' };
}

function deliveryLink({ deliveries }: OrderRecords): Link {
  const states = decisiveAttempts(deliveries).map(({ status }) => status);
  const isDue = states.includes('due') || states.includes('attempted');
  const done = states.filter((status) => status === 'delivered').length;
  return { done, of: states.length, tone: states.includes('failed') ? 'bad' : isDue ? 'work' : 'plain' };
}

const MAX_WORDS = 300;
const TEXTS = ['title', 'prompt', 'input', 'text', 'style', 'lyrics', 'name', 'url'] as const;

function requestSummary({ request, jobs, run }: OrderRecords): Omit<OrderLine['request'], 'reads'> {
  const body = tryParseJson(request?.request);
  const [job] = jobs;
  const flow = run?.run.flowName;
  // The journal keeps `engine_prompt` if it cuts the body of a chat.
  const lastTurn = request?.engine_prompt?.findLast(({ role }) => role === 'user')?.text ?? '';
  const own = wordsOf(job?.parameters) || lastTurn;
  const words = wordsOf(body) || (request ? own || flow : flow || own) || '';
  const model = textIn(body, 'model') ?? request?.model ?? job?.model ?? null;
  return { prompt: shortened(words), model, kind: whatOf(body, jobs, run) || (request?.streamed ? 'stream' : '') };
}

function wordsOf(body: unknown): string {
  const messages = fieldOf(body, 'messages');
  if (Array.isArray(messages)) {
    return messages.flatMap((message) => contentOf(fieldOf(message, 'content')) || []).at(-1) ?? '';
  }
  const [first, second] = TEXTS.flatMap((name) => textIn(body, name) ?? []);
  if (first === undefined) return '';
  return textIn(body, 'title') && second ? `${first}: ${second}` : first;
}

function contentOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.flatMap((part) => textIn(part, 'text') ?? []).join(' ');
}

function whatOf(body: unknown, jobs: readonly Job[], run: OrderRecords['run']): string {
  if (run && jobs.length > 1) return `${jobs.length} jobs`;
  const seconds = fieldOf(body, 'seconds') ?? fieldOf(jobs[0]?.parameters, 'seconds');
  const length = typeof seconds === 'number' ? `${seconds} s` : (textIn(body, 'duration') ?? '').replace(/s$/, ' s');
  if (jobs.length > 1) return `${jobs.length} takes${length && ` of ${length}`}`;
  if (length !== '') return length;
  if (fieldOf(body, 'stream') === true) return 'stream';
  return fieldOf(body, 'store') === true ? 'stored' : '';
}

function shortened(words: string): string {
  const plain = words
    .slice(0, MAX_WORDS * 2)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return Array.from(plain).slice(0, MAX_WORDS).join('');
}

function textIn(value: unknown, name: string): string | undefined {
  const field = fieldOf(value, name);
  return typeof field === 'string' && field !== '' ? field : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
