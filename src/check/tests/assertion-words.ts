import type { RunRecord } from '../runner/run-record.ts';

/** How a runner writes an assertion. */
export type Dialect = 'expect' | 'assert' | 'pytest' | 'go';
/** An assertion as each of them writes it. */
export type Words = Readonly<Record<Dialect, string>>;

export type Scalar = string | number | boolean | null;
/** What is at a position of a JSON: a value, or what is known of it. */
export type Value = { is: Scalar } | { length: number } | { type: string } | { begins: string } | { ends: string };

/** One thing that is looked at, as each language says it. */
interface Expressions {
  js: string;
  py: string;
  go: string;
  name: string;
}

/** The assertion that a field is what it is in the baseline run; `root` is what the body is called. */
export function fieldWords(root: string, steps: readonly (string | number)[], value: Value): Words {
  const of = {
    js: root + steps.map((step) => (typeof step === 'number' ? `[${step}]` : propertyOf(step))).join(''),
    py: root + steps.map((step) => `[${JSON.stringify(step)}]`).join(''),
    go: root + steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${goName(step)}`)).join(''),
    name: steps.join('.'),
  };
  if ('is' in value) return words(of, value.is);
  if ('length' in value) return lengthWords(of, value.length);
  if ('begins' in value) return partWords(of, ['startsWith', 'startswith', 'HasPrefix'], value.begins);
  if ('ends' in value) return partWords(of, ['endsWith', 'endswith', 'HasSuffix'], value.ends);
  const { js, py, go, name } = of;
  const zero = GO_ZEROS[value.type] ?? 'nil';
  return {
    expect: `expect(typeof ${js}).toBe('${value.type}');`,
    assert: `assert.equal(typeof ${js}, '${value.type}');`,
    pytest: `assert isinstance(${py}, ${PYTHON_TYPES[value.type] ?? 'object'})`,
    // Another type than that of its field is refused when the body is decoded.
    go: `if ${go} == ${zero} { t.Fatal("${name} is missing") }`,
  };
}

function lengthWords({ js, py, go, name }: Expressions, length: number): Words {
  return {
    expect: `expect(${js}).toHaveLength(${length});`,
    assert: `assert.equal(${js}.length, ${length});`,
    pytest: `assert len(${py}) == ${length}`,
    go: `if len(${go}) != ${length} { t.Fatalf("${name} has %d, expected ${length}", len(${go})) }`,
  };
}

/** `methods`: what looks for a part of a text in JavaScript, Python and Go. */
function partWords({ js, py, go, name }: Expressions, methods: readonly [string, string, string], part: string): Words {
  const [ofJs, ofPy, ofGo] = methods;
  const text = JSON.stringify(part);
  return {
    expect: `expect(${js}.${ofJs}(${quoted(part)})).toBe(true);`,
    assert: `assert.ok(${js}.${ofJs}(${quoted(part)}));`,
    pytest: `assert ${py}.${ofPy}(${text})`,
    go: `if !strings.${ofGo}(${go}, ${text}) { t.Fatalf("${name} is %q", ${go}) }`,
  };
}

function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll("'", "\\'").replaceAll('\\"', '"')}'`;
}

const PYTHON_TYPES: Readonly<Record<string, string>> = {
  string: 'str',
  number: 'int',
  boolean: 'bool',
  object: 'dict',
};

/** What is in a field of a decoded body where the JSON has none. */
const GO_ZEROS: Readonly<Record<string, string>> = { string: '""', number: '0' };
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

/** A header of an answer. */
export function headerNamed(name: string): Expressions {
  const quotedName = `"${name}"`;
  const js = `response.headers.get('${name}')`;
  return { js, py: `response.headers[${quotedName}]`, go: `response.Header.Get(${quotedName})`, name };
}

/** The assertion that an expression has a value; `go` is that of a decoded body, `name` what its message calls it. */
export function words(of: Expressions, value: Scalar): Words {
  const text = JSON.stringify(value);
  const py = value === null ? 'None' : value === true ? 'True' : value === false ? 'False' : text;
  const go = value === null ? 'nil' : text;
  const line = `if ${of.go} != ${go} { t.Fatalf("${of.name} is %v, expected %v", ${of.go}, ${go}) }`;
  return equal([of.js, typeof value === 'string' ? quoted(value) : text], [of.py, py], line);
}

/** What is there, and what is expected. */
type Sides = readonly [actual: string, expected: string];

/** The assertion that two expressions are equal; `go` is the line as Go writes it, `note` what the others end with. */
export function equal([js, expectedJs]: Sides, [py, expectedPy]: Sides, go: string, note?: string): Words {
  const [endJs, endPy] = note === undefined ? ['', ''] : [` // ${note}`, `  # ${note}`];
  return {
    expect: `expect(${js}).toBe(${expectedJs});${endJs}`,
    assert: `assert.equal(${js}, ${expectedJs});${endJs}`,
    pytest: `assert ${py} == ${expectedPy}${endPy}`,
    go,
  };
}

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
  const isVague = ({ value }: Expected) => Number(!('is' in value || 'length' in value));
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
  if (!Array.isArray(expected)) return typeof actual === 'object' && actual !== null ? undefined : { type: 'object' };
  const isAsLong = Array.isArray(actual) && actual.length === expected.length;
  return isAsLong ? undefined : { length: expected.length };
}

/** What a test can expect where another value is; undefined where both may be anything. */
function expectedOf(actual: unknown, expected: Scalar): Value | undefined {
  const isVolatile =
    typeof expected === 'string' ? VOLATILE.test(expected) : typeof expected === 'number' && expected > LATEST_TIME;
  const isLong = typeof expected === 'string' && expected.length > LONGEST_TEXT;
  if (isLong && !isVolatile && typeof actual === 'string') return partOf(actual, expected);
  if (!isVolatile && !isLong) return { is: expected };
  return typeof actual === typeof expected ? undefined : { type: typeof expected };
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
