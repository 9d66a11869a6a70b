import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fixtureFolder } from '../../base/package/package-folder.ts';
import type { RunRecord } from '../runner/run-record.ts';

/** How a runner writes an assertion. */
export type Dialect = 'expect' | 'assert' | 'pytest' | 'go';
type Holes = Readonly<Record<string, string | number>>;

/** `fixtures/assertions.json`: by what is looked at, the line of each runner, with holes such as `{type}`. */
const LINES: Readonly<Record<string, Readonly<Record<Dialect, string>>>> = JSON.parse(
  readFileSync(path.join(fixtureFolder(), 'assertions.json'), 'utf8'),
);

/** Which line it is, and what fills its holes. */
interface Line {
  row: string;
  holes?: Holes;
}

export function writtenLine({ row, holes = {} }: Line, dialect: Dialect): string {
  return (LINES[row]?.[dialect] ?? '').replace(/\{(\w+)\}/g, (hole, name: string) => String(holes[name] ?? hole));
}

type Scalar = string | number | boolean | null;
/** What is at a position of a JSON: a value, or what is known of it; each is a row of the lines. */
interface Value {
  row: 'value' | 'length' | 'type' | 'begins' | 'ends';
  value: Scalar;
}

/** One thing that is looked at, as each language says it; `name` is what the message of Go calls it. */
interface Expressions {
  js: string;
  py: string;
  go: string;
  name: string;
}

const OF_PYTHON: Readonly<Record<string, string>> = { null: 'None', true: 'True', false: 'False' };
const PYTHON_TYPES: Readonly<Record<string, string>> = {
  string: 'str',
  number: 'int',
  boolean: 'bool',
  object: 'dict',
};
/** What is in a field of a decoded body where the JSON has none: another type is refused when the body is decoded. */
const GO_ZEROS: Readonly<Record<string, string>> = { string: '""', number: '0' };

/** The line that expects a value of an expression, or what is known of it. */
export function expects(of: Expressions, { row, value }: Value): Line {
  const [text, json] = [String(value), JSON.stringify(value)];
  const ofJs = typeof value === 'string' ? quoted(value) : json;
  const known = { pyType: PYTHON_TYPES[text] ?? 'object', zero: GO_ZEROS[text] ?? 'nil' };
  const written = { ofJs, ofPy: OF_PYTHON[json] ?? json, ofGo: value === null ? 'nil' : json };
  return { row, holes: { ...of, ...known, ...written, value: text } };
}

/** A field of a body, which is called `root`. */
export function fieldOf(root: string, steps: readonly (string | number)[]): Expressions {
  return {
    js: root + steps.map((step) => (typeof step === 'number' ? `[${step}]` : propertyOf(step))).join(''),
    py: root + steps.map((step) => `[${JSON.stringify(step)}]`).join(''),
    go: root + steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${goName(step)}`)).join(''),
    name: steps.join('.'),
  };
}

/** A header of an answer. */
export function headerOf(name: string): Expressions {
  return {
    js: `response.headers.get('${name}')`,
    py: `response.headers["${name}"]`,
    go: `response.Header.Get("${name}")`,
    name,
  };
}

function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll("'", "\\'").replaceAll('\\"', '"')}'`;
}

const GO_INITIALS = new Set(['id', 'url', 'json']);

/** `result_url` is `ResultURL`, as Go names the fields of a struct. */
function goName(name: string): string {
  const parts = name.split(/[^A-Za-z0-9]+/).filter(Boolean);
  return parts
    .map((part) => (GO_INITIALS.has(part) ? part.toUpperCase() : part[0]?.toUpperCase() + part.slice(1)))
    .join('');
}

function propertyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

/** A line that a test may have. */
export interface Assertion extends Line {
  /** Of the answer to one request: its path. */
  path?: string;
  /** Whether it passes over what is on record. */
  holds(record: RunRecord): boolean;
}

/** A position in a JSON, and what is there in the baseline run: a value, or what is known of it. */
interface Expected {
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
  const isVague = ({ value: { row } }: Expected) => Number(row !== 'value' && row !== 'length');
  return [...differencesIn([], actual, expected)].toSorted((a, b) => isVague(a) - isVague(b)).slice(0, 8);
}

function* differencesIn(steps: Expected['steps'], actual: unknown, expected: unknown): Generator<Expected> {
  if (JSON.stringify(actual) === JSON.stringify(expected) || expected === undefined) return;
  const inside = typeof expected === 'object' && expected !== null ? expected : undefined;
  const value = inside ? knownOf(actual, inside) : expectedOf(actual, expected as Scalar);
  if (value) yield { steps, value };
  const isList = Array.isArray(inside);
  if (!inside || (isList && !Array.isArray(actual))) return;
  for (const [name, each] of Object.entries(inside)) {
    yield* differencesIn([...steps, isList ? Number(name) : name], Object(actual)[name], each);
  }
}

/** What is known of a list or an object where something else is; undefined where the difference is further inside. */
function knownOf(actual: unknown, expected: object): Value | undefined {
  const isObject = typeof actual === 'object' && actual !== null;
  if (!Array.isArray(expected)) return isObject ? undefined : { row: 'type', value: 'object' };
  const isAsLong = Array.isArray(actual) && actual.length === expected.length;
  return isAsLong ? undefined : { row: 'length', value: expected.length };
}

/** What a test can expect where another value is; undefined where both may be anything. */
function expectedOf(actual: unknown, expected: Scalar): Value | undefined {
  const isVolatile =
    typeof expected === 'string' ? VOLATILE.test(expected) : typeof expected === 'number' && expected > LATEST_TIME;
  const isLong = typeof expected === 'string' && expected.length > LONGEST_TEXT;
  if (isLong && !isVolatile && typeof actual === 'string') return partOf(actual, expected);
  if (!isVolatile && !isLong) return { row: 'value', value: expected };
  return typeof actual === typeof expected ? undefined : { row: 'type', value: typeof expected };
}

/** The beginning of a long text, or its end where that is what differs. */
function partOf(actual: string, expected: string): Value {
  const begins = expected.split('\n')[0]?.slice(0, LONGEST_PART) ?? '';
  if (begins !== '' && !actual.startsWith(begins)) return { row: 'begins', value: begins };
  return { row: 'ends', value: expected.split('\n').at(-1)?.slice(-LONGEST_PART) ?? '' };
}

const HOLDS: Readonly<Record<Value['row'], (found: unknown, value: Scalar) => boolean>> = {
  value: (found, value) => found === value,
  length: (found, value) => Array.isArray(found) && found.length === value,
  type: (found, value) => typeof found === value,
  begins: (found, value) => typeof found === 'string' && found.startsWith(String(value)),
  ends: (found, value) => typeof found === 'string' && found.endsWith(String(value)),
};

/** Whether a body has at a position what is expected there. */
export function hasValue(body: unknown, { steps, value: { row, value } }: Expected): boolean {
  return HOLDS[row](valueAt(body, steps), value);
}

export function valueAt(body: unknown, steps: readonly (string | number)[]): unknown {
  return steps.reduce<unknown>((inside, step) => Object(inside)[step], body);
}

/** By what the test file imports, else by the command. */
export function dialectOf(
  { file, content = '' }: { file: string | undefined; content: string | undefined },
  command: string,
): Dialect {
  if (file?.endsWith('.go') || /\bgo (?:test|run)\b/.test(command)) return 'go';
  if (file?.endsWith('.py') || /\b(?:pytest|python3?)\b/.test(command)) return 'pytest';
  const text = `${content} ${command}`;
  if (/svc-emulator\/node-test|node:test|node --test/.test(text)) return 'assert';
  return /\b(?:vitest|jest|playwright)\b|\bexpect\(/.test(text) ? 'expect' : 'assert';
}

/** Where the next test begins. */
const NEXT_TEST = /^\s*(?:(?:it|test)\b|(?:async )?def test|func Test)/;

/** The lines of a test from the text of its file, or all of it where its line is not known; undefined without a text. */
export function testTextOf(content: string | undefined, line: number | undefined): string | undefined {
  if (content === undefined || line === undefined) return content;
  const [first = '', ...rest] = content.split('\n').slice(line - 1);
  const end = rest.findIndex((each) => NEXT_TEST.test(each));
  return [first, ...(end < 0 ? rest : rest.slice(0, end))].join('\n');
}

/** What lines are made of beside the account, which fixtures give; a test may have other names, or none, for the same. */
const NAMES = ['response', 'body', 'event', 'events', 'types', 'order', 'sent', 'job', 'again', 'file', 'files'];

/** Whether a test has the names that a line uses; one that cannot be read may have them. */
export function isAtHand(line: string, test: string | undefined): boolean {
  if (test === undefined) return true;
  const code = line.replace(/\s(?:\/\/|#) .*$/, '');
  const isIn = (name: string, text: string) => new RegExp(`(?<![.\\w'"])${name}\\b`).test(text);
  return NAMES.every((name) => !isIn(name, code) || isIn(name, test));
}

/** Whether a test file asks the service itself, by the path of a request or as an SDK names it: its `body` is else another's. */
export function callsIt(content: string | undefined, path: string): boolean {
  if (content === undefined) return true;
  const [first = '', second] = path.split(/[/?]/).filter((part) => part !== '' && part !== 'v1');
  const rest = second === undefined || /^[a-z]+_/.test(second) ? '' : `[/.]${second.slice(0, 5)}`;
  return new RegExp(`[/.]${first}${rest}`).test(content);
}
