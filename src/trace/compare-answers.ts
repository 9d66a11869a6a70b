import type { JournalEntry } from '../journal/journal-record.ts';
import { type RunStep, withoutIds } from './run-steps.ts';
import type { TraceFile } from './trace-file.ts';

/** What the answers of two runs to the same request differ in. */
export interface AnswerDifference {
  /** The request, such as `GET /v1/jobs/job_…`, and where in the answer: `data.0.status`. */
  what: string;
  field: string;
  /** As JSON; undefined where the answer has no such field. */
  a: string | undefined;
  b: string | undefined;
  /** In how many answers. */
  times: number;
}

/** So many pairs are looked at, and so many differences told. */
const MOST_PAIRS = 4000;
const MOST = 60;
const LONGEST = 120;
const DEPTH = 8;

/** Times are others in every run. */
const TIME = /^(?:created|expires|updated|completed|started|finished|.*(?:_at|At|_ms|Ms))$/;

/** The same step of both. */
interface Pair {
  a: RunStep | undefined;
  b: RunStep | undefined;
}

/** Where in their answers two runs differ: each field once for each kind of request, by its first difference. */
export function differingAnswers(one: TraceFile, other: TraceFile, pairs: readonly Pair[]): AnswerDifference[] {
  const [ofOne, ofOther] = [one, other].map(({ tables }) => new Map(tables.requests.map((each) => [each.id, each])));
  const found = new Map<string, AnswerDifference>();
  for (const { a, b } of pairs.slice(0, MOST_PAIRS)) {
    const [left, right] = [ofOne?.get(a?.id ?? ''), ofOther?.get(b?.id ?? '')];
    if (!a || !left?.answer || !right?.answer || left.answer === right.answer) continue;
    for (const difference of differences(left, right)) {
      const key = `${a.what} ${difference.field}`;
      const known = found.get(key);
      if (known) known.times += 1;
      else if (found.size < MOST) found.set(key, { what: a.what, ...difference, times: 1 });
    }
  }
  return [...found.values()];
}

function differences(left: JournalEntry, right: JournalEntry) {
  const [a, b] = [leavesOf(left.answer), leavesOf(right.answer)];
  const fields = [...new Set([...a.keys(), ...b.keys()])].filter((field) => a.get(field) !== b.get(field));
  return fields.map((field) => ({ field, a: a.get(field), b: b.get(field) }));
}

/** Each value of an answer by its place in it, as JSON without ids; of what is no JSON, the text itself. */
function leavesOf(answer: string | null): Map<string, string> {
  const leaves = new Map<string, string>();
  try {
    gather(JSON.parse(answer ?? ''), [], leaves);
  } catch {
    leaves.set('text', plain(answer ?? ''));
  }
  return leaves;
}

function gather(value: unknown, place: readonly string[], leaves: Map<string, string>): void {
  if (typeof value !== 'object' || value === null || place.length > DEPTH) {
    leaves.set(place.join('.'), plain(typeof value === 'string' ? withoutHost(value) : value));
    return;
  }
  for (const [name, each] of Object.entries(value)) if (!TIME.test(name)) gather(each, [...place, name], leaves);
}

function plain(value: unknown): string {
  const text = withoutIds(JSON.stringify(value));
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** A signed address is another one in every run. */
function withoutHost(text: string): string {
  return URL.canParse(text) && /^https?:/.test(text) ? new URL(text).pathname : text;
}
