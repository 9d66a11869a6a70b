import { realTimeOf } from '../../base/clock/clock-marks.ts';
import { isFinal, type Job } from '../../engine/jobs/job.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import type { StoredDelivery } from '../../engine/webhooks/delivery-store.ts';
import type { OrderLine } from './order-line-record.ts';
import { errorOf, type LineTone, moneyOf, type OrderRecords, refusalOf, triesOf } from './order-records.ts';

type OrderStatus = OrderLine['status'];
type Link = NonNullable<OrderStatus['work']>;

/** `reads`: how many requests have read its jobs. */
export function orderLine(records: OrderRecords, reads: number): OrderLine {
  const { id, request, run } = records;
  const status = orderStatus(records);
  const account = request?.account_id ?? run?.run.accountId ?? records.jobs[0]?.accountId ?? null;
  return {
    id,
    time: timeOf(records),
    asked: { ...askedOf(records), reads },
    call: callOf(records),
    whose: { account_id: account, key_id: request?.key_id ?? null },
    status,
    error: request && !records.isInFlight ? errorIn(request) : null,
    discarded: request?.discarded,
    made: madeOf(records),
    todo: {
      redeliver: status.deliveries?.tone === 'bad' ? lastRefused(records) : null,
      run: run?.run.status === 'waiting' ? run.run.id : null,
    },
  };
}

function callOf({ request, events }: OrderRecords): OrderLine['call'] {
  const violation = request?.violation ?? events.find((each) => each.violation)?.violation ?? null;
  if (!request) return { method: '', path: '', operation: null, fault: null, violation };
  const { method, path, operation, fault = null } = request;
  return { method, path: path.slice(0, 300), operation, fault, violation };
}

function errorIn(request: JournalEntry): OrderLine['error'] {
  const error = errorOf(request);
  return error && request.status >= 400 ? { code: error.code, message: error.message.slice(0, 300) } : null;
}

/** When it began, and how long it took to its last stamp. */
export function timeOf(records: OrderRecords): OrderLine['time'] {
  const { request, isInFlight = false, jobs, events, deliveries, run, clock } = records;
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
  const isOpen = isInFlight || jobs.some(({ status }) => !isFinal(status)) || run?.run.status === 'running';
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

/** What is remarkable about an order; the first of the list counts most. */
interface Remark {
  tone: LineTone;
  says: string;
}

export function orderStatus(records: OrderRecords): OrderStatus {
  const { request, isInFlight, jobs, events, deliveries, run } = records;
  const money = moneyOf(records);
  const ended = [
    ...runRemark(records),
    ...answerRemark(records),
    ...workRemark(jobs, money),
    ...deliveryRemark(deliveries),
    ...discardedRemark(records),
  ];
  const remarks: Remark[] = isInFlight ? [{ tone: 'work', says: 'under way' }] : ended;
  const order: LineTone[] = ['bad', 'wait', 'work', 'plain'];
  const worst = order.flatMap((tone) => remarks.filter((each) => each.tone === tone));
  const tone = worst[0]?.tone ?? 'good';
  const waits = jobs.length > 0 || run !== undefined;
  return {
    answer: request && !isInFlight ? answerOf(request, tone) : null,
    work: jobs.length > 0 ? workLink(jobs) : null,
    events: waits || events.length > 0 ? eventLink(records) : null,
    deliveries: waits || deliveries.length > 0 ? deliveryLink(deliveries) : null,
    money,
    tone: tone === 'plain' ? 'good' : tone,
    says: worst.map(({ says }) => says).join(' · ') || (request?.method === 'GET' ? 'read' : 'done'),
  };
}

function runRemark({ run }: OrderRecords): Remark[] {
  if (!run) return [];
  const { status, step, failure } = run.run;
  if (status === 'failed') return [{ tone: 'bad', says: `step ${failure?.step ?? step} failed` }];
  if (status === 'waiting') return [{ tone: 'wait', says: `waits at step ${step} for a click` }];
  return status === 'running' ? [{ tone: 'work', says: `at step ${step}` }] : [];
}

function answerRemark({ request, entries }: OrderRecords): Remark[] {
  if (!request) return [];
  const { status, cut, fault } = request;
  const by = fault === undefined ? '' : ', by a fault';
  if (status === 0) return [{ tone: 'bad', says: `connection reset${by}` }];
  if (status >= 400) return [{ tone: 'bad', says: refusal(request, moneyOf({ entries, request })) + by }];
  return cut ? [{ tone: 'bad', says: `answer cut before its end${by}` }] : [];
}

function discardedRemark({ request }: OrderRecords): Remark[] {
  return request?.discarded ? [{ tone: 'wait', says: 'discarded by a restore' }] : [];
}

function refusal(request: JournalEntry, { charged, back }: OrderStatus['money']): string {
  const code = request.error ?? String(request.status);
  if (charged === 0) return `refused: ${code}`;
  return back === charged ? `${code}, fully refunded` : code;
}

function workRemark(jobs: readonly Job[], { charged, back }: OrderStatus['money']): Remark[] {
  const failed = jobs.filter(({ status }) => status === 'failed');
  const open = jobs.filter(({ status }) => !isFinal(status));
  const all = back === charged && back > 0 ? ', fully refunded' : '';
  const remarks: Remark[] = [];
  if (failed.length > 0) remarks.push({ tone: 'bad', says: (jobs.length > 1 ? takes(failed) : jobCode(failed)) + all });
  if (open.length > 0) {
    remarks.push({ tone: 'work', says: open.some(({ started }) => started !== null) ? 'rendering' : 'queued' });
  }
  return remarks;
}

function takes(failed: readonly Job[]): string {
  const named = failed.map(({ take }, at) => take ?? at + 1);
  return `take${named.length > 1 ? 's' : ''} ${named.join(', ')} failed`;
}

function jobCode([job]: readonly Job[]): string {
  return job?.result && 'error' in job.result ? job.result.error.code : 'failed';
}

function deliveryRemark(deliveries: readonly StoredDelivery[]): Remark[] {
  const tries = triesOf(deliveries);
  const lost = tries.filter((each) => isLost(each.tries));
  const due = tries.some((each) => each.tries.some(({ status }) => status === 'due' || status === 'attempted'));
  const healed = tries.filter((each) => each.tries[0]?.status === 'failed' && !isLost(each.tries) && !due);
  const remarks: Remark[] = [];
  if (lost.length > 0) {
    const how = lost.map((each) => refusalOf(each.first)).slice(0, 4);
    remarks.push({
      tone: 'bad',
      says: `${lost.length === 1 ? 'delivery' : `${lost.length} deliveries`} refused: ${how.join(', ')}`,
    });
  }
  if (due) remarks.push({ tone: 'work', says: 'being delivered' });
  if (healed.length > 0) {
    const most = Math.max(...healed.map((each) => each.tries.length));
    remarks.push({ tone: 'plain', says: `delivered at the ${ordinal(most)} try` });
  }
  return remarks;
}

/** No try was taken, and none is under way. */
function isLost(tries: readonly StoredDelivery[]): boolean {
  return tries.length > 0 && tries.every(({ status }) => status === 'failed');
}

function ordinal(n: number): string {
  return n === 2 ? '2nd' : n === 3 ? '3rd' : `${n}th`;
}

/** A good answer is green only where all that came of it is. */
function answerOf(request: JournalEntry, all: LineTone): OrderStatus['answer'] {
  const { status } = request;
  const cut = request.cut === true;
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

function deliveryLink(deliveries: readonly StoredDelivery[]): Link {
  const tries = triesOf(deliveries);
  const done = tries.filter((each) => each.tries.some(({ status }) => status === 'delivered')).length;
  const due = tries.some((each) => each.tries.some(({ status }) => status === 'due' || status === 'attempted'));
  const lost = tries.some((each) => isLost(each.tries));
  return { done, of: tries.length, tone: lost ? 'bad' : due ? 'work' : 'plain' };
}

/** How much of a prompt is shown. */
const MOST_WORDS = 300;
const TEXTS = ['title', 'prompt', 'input', 'text', 'style', 'lyrics', 'name', 'url'] as const;

/** What was asked for, in the words of the request. */
export function askedOf({ request, jobs, run }: OrderRecords): Omit<OrderLine['asked'], 'reads'> {
  const body = bodyOf(request);
  const [job] = jobs;
  const words = wordsOf(body) || wordsOf(job?.parameters) || lastTurn(request) || (run ? run.run.flowName : '');
  const model = textIn(body, 'model') ?? request?.model ?? job?.model ?? null;
  return { words: shortened(words), model, what: whatOf(body, jobs) || (request?.streamed ? 'stream' : '') };
}

/** The JSON body of a request; undefined for none, and for one that was cut. */
function bodyOf(request: Pick<JournalEntry, 'request'> | undefined): Record<string, unknown> | undefined {
  const kept = request?.request;
  if (!kept) return undefined;
  try {
    const value: unknown = JSON.parse(kept);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
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

/** Of a chat whose body was cut: what is kept of the last turn of its user. */
function lastTurn(request: JournalEntry | undefined): string {
  return request?.engine_prompt?.findLast(({ role }) => role === 'user')?.text ?? '';
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

function textIn(value: unknown, name: string): string | undefined {
  const field = fieldOf(value, name);
  return typeof field === 'string' && field !== '' ? field : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
