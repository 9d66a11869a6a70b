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

/** The requests of two runs that are the same step. */
interface AnswerPair {
  a: { id: string; what: string } | undefined;
  b: { id: string } | undefined;
}

/** How many pairs are compared, and how many differences shown. */
const MOST_PAIRS = 4000;
const MOST = 60;
const LONGEST = 120;
const DEPTH = 8;

/** Times differ in every run; these are in the text of a body of which only the beginning is kept. */
const STAMP = /("(?:created|expires|updated|completed|started|finished|\w{0,40}(?:_at|At|_ms|Ms))":)[^,}]{1,40}/g;
const TIME = /^(?:created|expires|updated|completed|started|finished|.*(?:_at|At|_ms|Ms))$/;

/** Where in their answers two runs differ: each field once for each kind of request, by its first difference. */
export function differingAnswers(one: TraceFile, other: TraceFile, pairs: readonly AnswerPair[]): AnswerDifference[] {
  const [ofOne, ofOther] = [one, other].map(({ tables }) => new Map(tables.requests.map((each) => [each.id, each])));
  const found = new Map<string, AnswerDifference>();
  for (const { a, b } of pairs.slice(0, MOST_PAIRS)) {
    const [left, right] = [ofOne?.get(a?.id ?? ''), ofOther?.get(b?.id ?? '')];
    if (!a || !left?.answer || !right?.answer || left.answer === right.answer) continue;
    for (const difference of differences(left.answer, right.answer)) {
      const key = `${a.what} ${difference.field}`;
      const known = found.get(key);
      if (known) known.times += 1;
      else if (found.size < MOST) found.set(key, { what: a.what, ...difference, times: 1 });
    }
  }
  return [...found.values()];
}

/** The fields in which two bodies differ, ids and times apart. */
export function differences(left: string | null, right: string | null) {
  const [a, b] = [leavesOf(left), leavesOf(right)];
  const fields = [...new Set([...a.keys(), ...b.keys()])].filter((field) => a.get(field) !== b.get(field));
  return fields.map((field) => ({ field, a: a.get(field), b: b.get(field) }));
}

/** Each value of a body by its path in it, as JSON without ids; of what is no JSON, the text itself. */
function leavesOf(body: string | null): Map<string, string> {
  const leaves = new Map<string, string>();
  if (body === null) return leaves;
  try {
    gather(JSON.parse(body), [], leaves);
  } catch {
    leaves.set('text', plain(body.replace(STAMP, '$1…')));
  }
  return leaves;
}

function gather(value: unknown, position: readonly string[], leaves: Map<string, string>): void {
  if (typeof value !== 'object' || value === null || position.length > DEPTH) {
    leaves.set(position.join('.'), plain(typeof value === 'string' ? withoutHost(value) : value));
    return;
  }
  for (const [name, each] of Object.entries(value)) if (!TIME.test(name)) gather(each, [...position, name], leaves);
}

function plain(value: unknown): string {
  const text = withoutIds(JSON.stringify(value));
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** A signed address is another one in every run. */
function withoutHost(text: string): string {
  return URL.canParse(text) && /^https?:/.test(text) ? new URL(text).pathname : text;
}

/** A text in which every id is one. */
export function withoutIds(text: string): string {
  return text.replace(ID, (id) => `${id.slice(0, id.indexOf('_'))}_…`);
}

const ID = /\b(?:acct|chatcmpl|dlv|el|le|we|evt|flt|fix|flow|job|key|lib|msg|obj|post|run|ws|req)_[0-9a-z]{6,64}\b/g;
