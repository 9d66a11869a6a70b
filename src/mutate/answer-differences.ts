import type { RunRecord } from '../runs/run-record.ts';

/** How a runner writes an assertion. */
export type Dialect = 'expect' | 'assert' | 'pytest';
/** An assertion as each of them writes it. */
export type Words = Readonly<Record<Dialect, string>>;

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

type Scalar = string | number | boolean | null;
type Value = { is: Scalar } | { length: number } | { type: string };

/** What differs by itself from run to run. */
const VOLATILE = /^(?:[a-z]{2,5}_[0-9a-zA-Z]{12,}|https?:|\d{4}-\d\d-\d\dT)/;
const LATEST_TIME = 1e9;
/** What is longer makes no line of a test. */
const LONGEST_TEXT = 120;

/** Where what is told is not the truth, the first eight places: values before what is known of them. */
export function firstDifferences(told: unknown, should: unknown): Wanted[] {
  const found: Wanted[] = [];
  compare([], told, should, found);
  const isType = ({ value }: Wanted) => Number('type' in value);
  return found.toSorted((a, b) => isType(a) - isType(b)).slice(0, 8);
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
    typeof should === 'string'
      ? VOLATILE.test(should) || should.length > LONGEST_TEXT
      : typeof should === 'number' && should > LATEST_TIME;
  if (!isVolatile) found.push({ steps, value: { is: should } });
  else if (typeof told !== typeof should) found.push({ steps, value: { type: typeof should } });
}

/** Whether a body has at a position what is wanted there. */
export function hasValue(body: unknown, steps: readonly (string | number)[], value: Value): boolean {
  const found = valueAt(body, steps);
  if ('is' in value) return found === value.is;
  if ('length' in value) return Array.isArray(found) && found.length === value.length;
  return typeof found === value.type;
}

export function valueAt(body: unknown, steps: readonly (string | number)[]): unknown {
  return steps.reduce<unknown>((inside, step) => Object(inside)[step], body);
}

/** The jobs that orders have listed in their answers, by id. */
export function jobsOrdered({ requests }: RunRecord): Map<string, { take?: unknown; seed?: unknown }> {
  const orders = requests.filter(({ method, status }) => method === 'POST' && status === 202);
  const jobs = orders.flatMap(({ answer }) => valueAt(parsed(answer), ['data']) ?? []);
  return new Map(jobs.map((job) => [String(Object(job).id), Object(job)]));
}

/** The assertion that a field is what it is on the truth; `root` is what the body is called. */
export function fieldWords(root: string, steps: readonly (string | number)[], value: Value): Words {
  const js = root + steps.map((step) => (typeof step === 'number' ? `[${step}]` : propertyOf(step))).join('');
  const py = root + steps.map((step) => `[${JSON.stringify(step)}]`).join('');
  if ('is' in value) return words(js, [py], value.is);
  if ('length' in value) {
    return {
      expect: `expect(${js}).toHaveLength(${value.length});`,
      assert: `assert.equal(${js}.length, ${value.length});`,
      pytest: `assert len(${py}) == ${value.length}`,
    };
  }
  return {
    expect: `expect(typeof ${js}).toBe('${value.type}');`,
    assert: `assert.equal(typeof ${js}, '${value.type}');`,
    pytest: `assert isinstance(${py}, ${PYTHON_TYPES[value.type] ?? 'object'})`,
  };
}

const PYTHON_TYPES: Readonly<Record<string, string>> = {
  string: 'str',
  number: 'int',
  boolean: 'bool',
  object: 'dict',
};

function propertyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

/** `python` is an expression, or an attribute and what it is of. */
export function words(js: string, python: readonly string[], value: string | number | boolean | null): Words {
  const text = JSON.stringify(value);
  const quoted =
    typeof value === 'string' ? `'${text.slice(1, -1).replaceAll("'", "\\'").replaceAll('\\"', '"')}'` : text;
  const [name = '', owner] = python;
  const py = owner === undefined ? name : `${owner}.${name}`;
  const py_ = value === null ? 'None' : value === true ? 'True' : value === false ? 'False' : text;
  return {
    expect: `expect(${js}).toBe(${quoted});`,
    assert: `assert.equal(${js}, ${quoted});`,
    pytest: `assert ${py} == ${py_}`,
  };
}

/** Undefined for what is no JSON. */
export function parsed(text: string | null | undefined): unknown {
  try {
    return text === null || text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
