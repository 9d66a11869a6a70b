import { parsedJson } from '../../base/parsed-json.ts';
import type { RunRecord } from '../runner/run-record.ts';
import type { Scalar, Value, Words } from './assertion-words.ts';

/** What an assertion looks at, and what it expects there. */
export interface Assertion {
  words: Words;
  /** Whether it passes over what is on record. */
  holds(record: RunRecord): boolean;
}

/** A position in a JSON, and what is there in the baseline run: a value, or what is known of it. */
export interface Expected {
  steps: readonly (string | number)[];
  value: Value;
}

/** What differs by itself from run to run. */
const VOLATILE = /^(?:[a-z]{2,5}_[0-9a-zA-Z]{12,}|https?:|\d{4}-\d\d-\d\dT)/;
const LATEST_TIME = 1e9;
/** Of what is longer a test looks at the beginning or the end. */
const LONGEST_TEXT = 120;
const LONGEST_PART = 40;

/** Where an answer is not the true one, the first eight places: values before what is known of them. */
export function firstDifferences(actual: unknown, expected: unknown): Expected[] {
  const found: Expected[] = [];
  compare([], actual, expected, found);
  const isVague = ({ value }: Expected) => Number(!('is' in value || 'length' in value));
  return found.toSorted((a, b) => isVague(a) - isVague(b)).slice(0, 8);
}

function compare(steps: readonly (string | number)[], actual: unknown, expected: unknown, found: Expected[]): void {
  if (JSON.stringify(actual) === JSON.stringify(expected) || expected === undefined) return;
  if (Array.isArray(expected)) compareLists(steps, actual, expected, found);
  else if (typeof expected === 'object' && expected !== null) compareFields(steps, actual, expected, found);
  else compareValues(steps, actual, expected as Scalar, found);
}

function compareLists(
  steps: Expected['steps'],
  actual: unknown,
  expected: readonly unknown[],
  found: Expected[],
): void {
  const list = Array.isArray(actual) ? actual : undefined;
  if (list?.length !== expected.length) found.push({ steps, value: { length: expected.length } });
  if (!list) return;
  for (const [at, each] of expected.entries()) compare([...steps, at], list[at], each, found);
}

function compareFields(steps: Expected['steps'], actual: unknown, expected: object, found: Expected[]): void {
  if (typeof actual !== 'object' || actual === null) found.push({ steps, value: { type: 'object' } });
  for (const [name, each] of Object.entries(expected)) compare([...steps, name], Object(actual)[name], each, found);
}

function compareValues(steps: Expected['steps'], actual: unknown, expected: Scalar, found: Expected[]): void {
  const isVolatile =
    typeof expected === 'string' ? VOLATILE.test(expected) : typeof expected === 'number' && expected > LATEST_TIME;
  const isLong = typeof expected === 'string' && expected.length > LONGEST_TEXT;
  if (isLong && !isVolatile && typeof actual === 'string') found.push({ steps, value: partOf(actual, expected) });
  else if (!isVolatile && !isLong) found.push({ steps, value: { is: expected } });
  else if (typeof actual !== typeof expected) found.push({ steps, value: { type: typeof expected } });
}

/** The beginning of a long text, or its end where that is what differs. */
function partOf(actual: string, expected: string): Value {
  const begins = expected.split('\n')[0]?.slice(0, LONGEST_PART) ?? '';
  if (begins !== '' && !actual.startsWith(begins)) return { begins };
  return { ends: expected.split('\n').at(-1)?.slice(-LONGEST_PART) ?? '' };
}

/** Whether a body has at a position what is expected there. */
export function hasValue(body: unknown, steps: readonly (string | number)[], value: Value): boolean {
  const found = valueAt(body, steps);
  if ('is' in value) return found === value.is;
  if ('length' in value) return Array.isArray(found) && found.length === value.length;
  if ('begins' in value) return typeof found === 'string' && found.startsWith(value.begins);
  if ('ends' in value) return typeof found === 'string' && found.endsWith(value.ends);
  return typeof found === value.type;
}

export function valueAt(body: unknown, steps: readonly (string | number)[]): unknown {
  return steps.reduce<unknown>((inside, step) => Object(inside)[step], body);
}

/** The jobs that orders have listed in their answers, by id. */
export function jobsOrdered({ requests }: RunRecord): Map<string, { take?: unknown; seed?: unknown }> {
  const orders = requests.filter(({ method, status }) => method === 'POST' && status === 202);
  const jobs = orders.flatMap(({ answer }) => valueAt(parsedJson(answer), ['data']) ?? []);
  return new Map(jobs.map((job) => [String(Object(job).id), Object(job)]));
}
