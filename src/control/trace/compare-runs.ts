import { type AnswerDifference, differingAnswers } from './answer-differences.ts';
import { type RunStep, type StepPair, stepsOf } from './run-steps.ts';
import type { TraceFile } from './trace-file.ts';
import { whyParted } from './why-parted.ts';

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
  const pairs = aligned(stepsOf(one), stepsOf(other));
  const [a, b] = [spendOf(one), spendOf(other)];
  const parted = pairs.findIndex(({ isSame }) => !isSame);
  const fields = differingAnswers(one, other, pairs);
  return {
    pairs,
    parted,
    spend: { a: sumOf(a), b: sumOf(b), byModel: both(a, b) },
    answers: both(answersOf(one), answersOf(other)).filter((each) => each.a !== each.b),
    fields,
    alike: alikeOf(pairs, fields),
    why: whyParted({ one, other, pairs, parted, fields }),
  };
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

type Pair = [RunStep | undefined, RunStep | undefined];

/** Steps of the same name are paired wherever the order allows: the longest common subsequence of names. */
function joined(a: readonly RunStep[], b: readonly RunStep[]): Pair[] {
  if (Math.max(a.length, b.length) > MOST_ALIGNED) {
    return Array.from({ length: Math.max(a.length, b.length) }, (_, at): Pair => [a[at], b[at]]);
  }
  const lengths = commonLengths(a, b);
  const pairs: Pair[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const both = a[i]?.what === b[j]?.what && i < a.length && j < b.length;
    if (both) pairs.push([a[i++], b[j++]]);
    else if (j >= b.length || (i < a.length && at(lengths, i + 1, j) >= at(lengths, i, j + 1))) {
      pairs.push([a[i++], undefined]);
    } else pairs.push([undefined, b[j++]]);
  }
  return pairs;
}

function commonLengths(a: readonly RunStep[], b: readonly RunStep[]): Uint16Array[] {
  const rows = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const row = rows[i];
      if (!row) continue;
      const same = a[i]?.what === b[j]?.what;
      row[j] = same ? at(rows, i + 1, j + 1) + 1 : Math.max(at(rows, i + 1, j), at(rows, i, j + 1));
    }
  }
  return rows;
}

function at(rows: readonly Uint16Array[], i: number, j: number): number {
  return rows[i]?.[j] ?? 0;
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

function answersOf(trace: TraceFile): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { what, came } of stepsOf(trace)) {
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
