import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import { readJobOf } from '../orders/order-records.ts';
import { type AnswerDifference, differences } from './answer-differences.ts';
import type { RunStep, StepPair } from './run-steps.ts';
import type { TraceFile } from './trace-file.ts';

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
export function whyParted(parting: Parting): string {
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
  return `A fault rule struck it ${left.fault === undefined ? 'on the right' : 'on the left'} only.`;
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
