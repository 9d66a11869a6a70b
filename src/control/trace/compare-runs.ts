import { type Pair, sideBySide } from '../../base/output/side-by-side.ts';
import type { Job } from '../../engine/jobs/job.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import type { StoredDelivery } from '../../engine/webhooks/delivery-store.ts';
import { type OrderRecords, readJobOf } from '../orders/order-records.ts';
import { type OrderStep, orderSteps } from '../orders/order-steps.ts';
import { type AnswerDifference, differences, differingAnswers, withoutIds } from './answer-differences.ts';
import type { TraceFile } from './trace-file.ts';
import { TraceOrders } from './trace-orders.ts';

/** One thing that a run came to, without ids and times: these are others in every run. */
export interface RunStep {
  /** What happened, such as `POST /v1/music/generations`. */
  what: string;
  /** What it came to, such as `202` or `failed: render_failed`. */
  came: string;
  /** Milliseconds since the run began. */
  at: number;
  /** The id by which its order opens. */
  id: string;
  /** The order to which it belongs, which began with a step of this id. */
  order: string;
}

/** The same step of two runs, or a step that only one of them has. */
export interface StepPair {
  a: RunStep | undefined;
  b: RunStep | undefined;
  isSame: boolean;
}

/** Something of which both runs had so much. */
export interface Both {
  name: string;
  a: number;
  b: number;
}

export interface Comparison {
  pairs: readonly StepPair[];
  /** The index of the first pair that is not the same; -1 where there is none. */
  parted: number;
  /** Credits net of refunds. */
  spend: { a: number; b: number; byModel: readonly Both[] };
  /** How often each path was answered how: `POST /v1/x: 200`. */
  answers: readonly Both[];
  /** What answers say differently. */
  fields: readonly AnswerDifference[];
  /** How many kinds of requests both made, and were answered the same. */
  alike: number;
  /** Where they part and why, in sentences. */
  why: string;
}

/** Beyond so many steps of a stretch that differs, steps are no more looked for in the other run's order. */
const MOST_ALIGNED = 1200;

/** Two runs beside one another, step by step: ids and times do not count. */
export function compareRuns(one: TraceFile, other: TraceFile): Comparison {
  const [steps, others] = [stepsOf(one), stepsOf(other)];
  const pairs = aligned(steps, others);
  const [a, b] = [spendOf(one), spendOf(other)];
  const parted = pairs.findIndex(({ isSame }) => !isSame);
  const fields = differingAnswers(one, other, pairs);
  return {
    pairs,
    parted,
    spend: { a: sumOf(a), b: sumOf(b), byModel: both(a, b) },
    answers: both(answersOf(steps), answersOf(others)).filter((each) => each.a !== each.b),
    fields,
    alike: alikeOf(pairs, fields),
    why: whyParted({ one, other, pairs, parted, fields }),
  };
}

/**
 * What a run did and what it was answered: requests in their order, below each what came of it. How often an unfinished
 * job was asked for does not count.
 */
function stepsOf(trace: TraceFile): RunStep[] {
  const own = new TraceOrders(trace).all().flatMap((order) => {
    const steps = orderSteps(order).flatMap((each) => runStep(each, order, trace.head.span.began) ?? []);
    return steps.length > 0 ? [{ steps, began: Math.min(...steps.map(({ at }) => at)), id: order.id }] : [];
  });
  const inOrder = own.sort((a, b) => a.began - b.began || a.id.localeCompare(b.id));
  // What a request leads to happens in another order each time: its jobs, then its deliveries by what they are of.
  return inOrder.flatMap(({ steps }) =>
    steps.sort((a, b) => a.place.localeCompare(b.place, 'en', { numeric: true })).map(({ place: _, ...step }) => step),
  );
}

/** `place`: where it comes below its request, and among those of its kind. */
interface PlacedStep extends RunStep {
  place: string;
}

function runStep({ step, fact }: OrderStep, { id: order, jobs }: OrderRecords, began: number): PlacedStep | undefined {
  const { request, job, delivery } = fact;
  const [id = ''] = step.refs;
  const at = step.at - began;
  if (request && step.kind === 'ordered' && !readJobOf(request))
    return { ...callOf(request), at, id, order, place: '0' };
  if (job) return { ...workOf(job), at, id, order, place: `1 ${jobs.indexOf(job)}` };
  if (!delivery || delivery.attemptedAt === null) return undefined;
  const sent = sentOf(delivery);
  return { ...sent, at: at + (step.took ?? 0), id, order, place: `2 ${sent.what}` };
}

type Words = Pick<RunStep, 'what' | 'came'>;

function callOf({ method, path, status, error }: JournalEntry): Words {
  const came = status === 0 ? 'connection reset' : `${status}${error ? ` ${error}` : ''}`;
  return { what: `${method} ${withoutIds(path.split('?')[0] ?? '')}`, came };
}

function workOf({ model, take, status, result }: Job): Words {
  const code = result && 'error' in result ? `: ${result.error.code}` : '';
  return { what: take === null ? `job of ${model}` : `take ${take} of ${model}`, came: status + code };
}

function sentOf({ type, url, status, responseStatus, error }: StoredDelivery): Words {
  // The receiver listens on another port in every run.
  const what = `${type} to ${URL.canParse(url) ? new URL(url).pathname : url}`;
  return { what, came: `${status} ${responseStatus ?? error ?? ''}`.trim() };
}

function alikeOf(pairs: readonly StepPair[], fields: readonly AnswerDifference[]): number {
  const other = new Set(fields.map(({ what }) => what));
  for (const { a, b, isSame } of pairs) if (!isSame) for (const step of [a, b]) other.add(step?.what ?? '');
  const calls = pairs.flatMap(({ a }) => (a && a.id === a.order ? [a.what] : []));
  return new Set(calls.filter((what) => !other.has(what))).size;
}

function aligned(a: readonly RunStep[], b: readonly RunStep[]): StepPair[] {
  let [from, end] = [0, 0];
  while (isSame(a[from], b[from])) from += 1;
  while (end < Math.min(a.length, b.length) - from && isSame(a[a.length - 1 - end], b[b.length - 1 - end])) end += 1;
  const pair = (left: RunStep | undefined, right: RunStep | undefined): StepPair => ({
    a: left,
    b: right,
    isSame: isSame(left, right),
  });
  const head = a.slice(0, from).map((step, at) => pair(step, b[at]));
  const tail = end === 0 ? [] : a.slice(-end).map((step, at) => pair(step, b[b.length - end + at]));
  const middle = joined(a.slice(from, a.length - end), b.slice(from, b.length - end));
  return [...head, ...middle.map(([left, right]) => pair(left, right)), ...tail];
}

function isSame(a: RunStep | undefined, b: RunStep | undefined): boolean {
  return a !== undefined && b !== undefined && a.what === b.what && a.came === b.came;
}

/** Steps of the same name are paired wherever the order allows. */
function joined(a: readonly RunStep[], b: readonly RunStep[]): Pair<RunStep>[] {
  if (Math.max(a.length, b.length) > MOST_ALIGNED) {
    return Array.from({ length: Math.max(a.length, b.length) }, (_, at): Pair<RunStep> => [a[at], b[at]]);
  }
  return sideBySide(a, b, ({ what }) => what);
}

function spendOf({ tables }: TraceFile): Map<string, number> {
  const models = new Map(tables.entries.map(({ id, model, operation }) => [id, model ?? operation ?? '']));
  const spent = new Map<string, number>();
  for (const { type, amount, id, refundOf } of tables.entries) {
    if (type !== 'charge' && type !== 'refund') continue;
    const model = models.get(refundOf ?? id) ?? '';
    spent.set(model, (spent.get(model) ?? 0) - amount);
  }
  return spent;
}

function answersOf(steps: readonly RunStep[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { what, came } of steps) {
    const name = `${what}: ${came}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

function both(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): Both[] {
  const names = [...new Set([...a.keys(), ...b.keys()])].sort();
  return names.map((name) => ({ name, a: a.get(name) ?? 0, b: b.get(name) ?? 0 }));
}

function sumOf(amounts: ReadonlyMap<string, number>): number {
  return [...amounts.values()].reduce((sum, amount) => sum + amount, 0);
}

/** What is looked at to say why two runs part. */
interface Parting {
  one: TraceFile;
  other: TraceFile;
  pairs: readonly StepPair[];
  parted: number;
  fields: readonly AnswerDifference[];
}

/** How many fields of a request are shown. */
const MOST_FIELDS = 2;
/** What took so much longer may be what others did not wait for. */
const MUCH_LONGER = 1.5;
const LONG_MS = 100;

/** Where two runs part, and what is known of why, in plain sentences. */
function whyParted(parting: Parting): string {
  const { pairs, parted, fields } = parting;
  const pair = pairs[parted];
  if (!pair) {
    const all = `Both runs did the same and were answered alike, in ${counted(pairs.length, 'step')}`;
    return fields.length === 0 ? `${all}.` : `${all}; only some fields of their answers differ.`;
  }
  return [whereText(pair, parting), reasonText(pair, parting)].filter(Boolean).join(' ');
}

function whereText({ a, b }: StepPair, { pairs, parted }: Parting): string {
  const before =
    parted === 0 ? 'From the first step on they differ' : `After ${counted(parted, 'equal step')} they part`;
  if (a && b) return `${before}: ${a.what} came to ${a.came} on the left, to ${b.came} on the right.`;
  const [step, has, lacks] = a ? [a, 'on the left', 'the right'] : [b, 'on the right', 'the left'];
  const isLater = pairs.some(
    (each, at) => at > parted && (a ? each.b && !each.a : each.a && !each.b) && sameStep(each, step),
  );
  const never = isLater ? `${lacks} has it later` : `${lacks} has no such step there`;
  return `${before}: ${step?.what} (${step?.came}) is ${has}, ${never}.`;
}

function sameStep({ a, b }: StepPair, step: RunStep | undefined): boolean {
  return (a ?? b)?.what === step?.what;
}

/** The requests to which both runs owe the step, where both have one. */
function ordersOf({ a, b }: StepPair, { one, other, pairs }: Parting): [JournalEntry, JournalEntry] | undefined {
  const started = pairs.find((each) => (a ? each.a?.id === a.order : each.b?.id === b?.order));
  const [left, right] = [entryOf(one, started?.a?.id), entryOf(other, started?.b?.id)];
  return left && right && [left, right];
}

function entryOf({ tables }: TraceFile, id: string | undefined): JournalEntry | undefined {
  return id === undefined ? undefined : tables.requests.find((each) => each.id === id);
}

function reasonText(pair: StepPair, parting: Parting): string {
  const orders = ordersOf(pair, parting);
  if (!orders) return seenText(pair, parting);
  const [left, right] = orders;
  const call = `${left.method} ${left.path.split('?')[0]}`;
  const asked = differences(left.request, right.request);
  if (asked.length > 0) {
    const parts = asked
      .slice(0, MOST_FIELDS)
      .map(
        ({ field, a, b }) => `${field || 'its body'} was ${a ?? 'absent'} on the left, ${b ?? 'absent'} on the right`,
      );
    return `What was asked is not the same: of ${call}, ${parts.join('; ')}.`;
  }
  const appliedFault = faultText(left, right) ?? creditsText(left, right);
  if (appliedFault) return appliedFault;
  return tookText(left, right) ?? `What ${call} asked for is the same in both.`;
}

function faultText(left: JournalEntry, right: JournalEntry): string | undefined {
  if ((left.fault === undefined) === (right.fault === undefined)) return undefined;
  return `A fault rule was applied to it ${left.fault === undefined ? 'on the right' : 'on the left'} only.`;
}

function creditsText({ left: had }: JournalEntry, { left: rival }: JournalEntry): string | undefined {
  if (had === rival) return undefined;
  const text = (left: number | undefined) => (left === undefined ? 'enough credits' : counted(left, 'credit'));
  return `The account had ${text(had)} on the left, ${text(rival)} on the right.`;
}

function tookText(left: JournalEntry, right: JournalEntry): string | undefined {
  const [a, b] = [left.duration_ms, right.duration_ms];
  if (Math.max(a, b) < LONG_MS || Math.max(a, b) < MUCH_LONGER * Math.min(a, b)) return undefined;
  return `What was asked is the same; its answer took ${Math.round(a)} ms on the left, ${Math.round(b)} ms on the right.`;
}

/** A client that goes another way has seen something else before. */
function seenText({ a, b }: StepPair, { one, other, pairs, parted, fields }: Parting): string {
  const until = { a: a?.at ?? Number.POSITIVE_INFINITY, b: b?.at ?? Number.POSITIVE_INFINITY };
  for (const started of pairs.slice(0, parted).toReversed()) {
    const [left, right] = [lastSeen(one, started.a, until.a), lastSeen(other, started.b, until.b)];
    if (left === undefined || right === undefined || left === right) continue;
    return `Before it, the last look at ${started.a?.what} showed ${left} on the left, ${right} on the right.`;
  }
  const [said] = fields;
  if (!said || pairs.findIndex((each) => each.a?.what === said.what) >= parted) return '';
  return `Before it, ${said.what} answered ${said.field || 'its text'} ${said.a ?? 'absent'} on the left, ${said.b ?? 'absent'} on the right.`;
}

/** How the jobs of an order stood when they were last read before a moment (milliseconds since the run began). */
function lastSeen({ head, tables }: TraceFile, step: RunStep | undefined, until: number): string | undefined {
  const jobs = tables.requests.find(({ id }) => id === step?.id)?.job_ids ?? [];
  const seen = tables.requests.findLast(
    (each) => jobs.includes(readJobOf(each) ?? '') && each.began - head.span.began <= until,
  );
  return seen?.shown?.map(({ status }) => status).join(', ');
}

function counted(n: number, what: string): string {
  return `${n.toLocaleString('en')} ${what}${n === 1 ? '' : 's'}`;
}
