import { parsedJson } from '../../base/parsed-json.ts';
import type { RunRecord } from '../runner/run-record.ts';
import type { Scalar, Value, Words } from './assertion-words.ts';

/** What an assertion looks at, and what it wants there. */
export interface Assertion {
  words: Words;
  /** Whether it passes over what is on record. */
  holds(record: RunRecord): boolean;
}

/** A position in a JSON, and what is there on the truth: a value, or what is known of it. */
export interface Wanted {
  steps: readonly (string | number)[];
  value: Value;
}

/** What differs by itself from run to run. */
const VOLATILE = /^(?:[a-z]{2,5}_[0-9a-zA-Z]{12,}|https?:|\d{4}-\d\d-\d\dT)/;
const LATEST_TIME = 1e9;
/** Of what is longer a test looks at the beginning or the end. */
const LONGEST_TEXT = 120;
const LONGEST_PART = 40;

/** Where what is told is not the truth, the first eight places: values before what is known of them. */
export function firstDifferences(told: unknown, should: unknown): Wanted[] {
  const found: Wanted[] = [];
  compare([], told, should, found);
  const isVague = ({ value }: Wanted) => Number(!('is' in value || 'length' in value));
  return found.toSorted((a, b) => isVague(a) - isVague(b)).slice(0, 8);
}

function compare(steps: readonly (string | number)[], told: unknown, should: unknown, found: Wanted[]): void {
  if (JSON.stringify(told) === JSON.stringify(should) || should === undefined) return;
  if (Array.isArray(should)) compareLists(steps, told, should, found);
  else if (typeof should === 'object' && should !== null) compareFields(steps, told, should, found);
  else compareValues(steps, told, should as Scalar, found);
}

function compareLists(steps: Wanted['steps'], told: unknown, should: readonly unknown[], found: Wanted[]): void {
  const list = Array.isArray(told) ? told : undefined;
  if (list?.length !== should.length) found.push({ steps, value: { length: should.length } });
  if (!list) return;
  for (const [at, each] of should.entries()) compare([...steps, at], list[at], each, found);
}

function compareFields(steps: Wanted['steps'], told: unknown, should: object, found: Wanted[]): void {
  if (typeof told !== 'object' || told === null) found.push({ steps, value: { type: 'object' } });
  for (const [name, each] of Object.entries(should)) compare([...steps, name], Object(told)[name], each, found);
}

function compareValues(steps: Wanted['steps'], told: unknown, should: Scalar, found: Wanted[]): void {
  const isVolatile =
    typeof should === 'string' ? VOLATILE.test(should) : typeof should === 'number' && should > LATEST_TIME;
  const isLong = typeof should === 'string' && should.length > LONGEST_TEXT;
  if (isLong && !isVolatile && typeof told === 'string') found.push({ steps, value: partOf(told, should) });
  else if (!isVolatile && !isLong) found.push({ steps, value: { is: should } });
  else if (typeof told !== typeof should) found.push({ steps, value: { type: typeof should } });
}

/** The beginning of a long text, or its end where that is what differs. */
function partOf(told: string, should: string): Value {
  const begins = should.split('\n')[0]?.slice(0, LONGEST_PART) ?? '';
  if (begins !== '' && !told.startsWith(begins)) return { begins };
  return { ends: should.split('\n').at(-1)?.slice(-LONGEST_PART) ?? '' };
}

/** Whether a body has at a position what is wanted there. */
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
