import { readFileSync } from 'node:fs';
import type { DeliveryRow, LedgerRow, RequestRow, RunRecord } from '../runs/run-record.ts';
import type { Row } from './mutation-run.ts';
import type { Truth } from './truth.ts';

/** How a runner writes an assertion. */
type Dialect = 'expect' | 'assert' | 'pytest';

/** What an assertion looks at, and what it wants there. */
interface Assertion {
  words: Readonly<Record<Dialect, string>>;
  holds(record: RunRecord): boolean;
}

/**
 * A line for the runner of a suite that passes on the truth and fails under the lie, which is checked over what is on
 * record of both; undefined where no such line is known.
 */
export function proposeAssertion({ unit, pair, run }: Row, truth: Truth, command: string): string | undefined {
  const [lied, true_] = [run?.records.get(unit.unit), truth.run.records.get(unit.unit)];
  if (!lied || !true_) return undefined;
  const dialect = dialectOf(unit.file, command);
  const proposals = [
    unit.isWhole ? left(true_) : spent(true_),
    ...answersOf(lied, true_).flatMap(ofAnswer),
    ...ofEvents(lied, pair.lie),
    delivered(true_, lied),
    verdictOf(),
  ];
  const proven = proposals.find((each) => each?.holds(true_) && !each.holds(lied));
  return proven?.words[dialect];
}

/** By what the test file imports, else by the command. */
function dialectOf(file: string | undefined, command: string): Dialect {
  if (file?.endsWith('.py') || /\b(?:pytest|python3?)\b/.test(command)) return 'pytest';
  const text = `${file === undefined ? '' : contentOf(file)} ${command}`;
  if (/svc-emulator\/node-test|node:test|node --test/.test(text)) return 'assert';
  return /\b(?:vitest|jest|playwright)\b|\bexpect\(/.test(text) ? 'expect' : 'assert';
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** What the account has spent: every lie about money itself is seen there. */
function spent(record: RunRecord): Assertion {
  const { credits, refunds } = spendOf(record.ledger);
  return {
    words: {
      expect: `await expect(account).toHaveSpent({ credits: ${credits}, refunds: ${refunds} });`,
      assert: `const { credits, refunds } = await totalSpend(account); assert.deepEqual({ credits, refunds }, { credits: ${credits}, refunds: ${refunds} });`,
      pytest: `assert -sum(entry["amount"] for entry in account.ledger() if entry["type"] in ("charge", "refund")) == ${credits}`,
    },
    holds: ({ ledger }) => {
      const other = spendOf(ledger);
      return other.credits === credits && other.refunds === refunds;
    },
  };
}

/** What is left: a suite without fixtures has no account at hand but the one of its key. */
function left({ ledger }: RunRecord): Assertion {
  const sum = (entries: readonly LedgerRow[]) => entries.reduce((total, { amount }) => total + amount, 0);
  const credits = sum(ledger);
  const note = 'the answer of GET /v1/account';
  return {
    words: {
      expect: `expect(account.credits).toBe(${credits}); // ${note}`,
      assert: `assert.equal(account.credits, ${credits}); // ${note}`,
      pytest: `assert account["credits"] == ${credits}  # ${note}`,
    },
    holds: (record) => sum(record.ledger) === credits,
  };
}

function spendOf(ledger: readonly LedgerRow[]): { credits: number; refunds: number } {
  const paid = ledger.filter(({ type }) => type === 'charge' || type === 'refund');
  const credits = 0 - paid.reduce((sum, { amount }) => sum + amount, 0);
  return { credits: credits === 0 ? 0 : credits, refunds: paid.filter(({ type }) => type === 'refund').length };
}

/** An answer under the lie, and the one on the truth. */
interface AnswerPair {
  told: RequestRow;
  true_: Pick<RequestRow, 'status' | 'answer'>;
}

/** Answers beside what is true: as the emulator recorded it, else the answer to the same request on the truth. */
function answersOf(lied: RunRecord, truth: RunRecord): AnswerPair[] {
  const counts = new Map<string, number>();
  return lied.requests.flatMap((told): AnswerPair[] => {
    const name = requestName(told);
    const turn = counts.get(name) ?? 0;
    counts.set(name, turn + 1);
    const same = truth.requests.filter((each) => requestName(each) === name)[turn];
    const true_ = told.truth ? { status: told.truth.status, answer: told.truth.body } : same;
    return true_ ? [{ told, true_ }] : [];
  });
}

/** The first field, or the status, in which an answer is not the true one. */
function ofAnswer({ told, true_ }: AnswerPair): Assertion[] {
  const isSame = (other: RequestRow) => requestName(other) === requestName(told);
  const status: Assertion = {
    words: words('response.status', ['status_code', 'response'], true_.status),
    holds: ({ requests }) => requests.filter(isSame).every((each) => each.status === true_.status),
  };
  const fields = firstDifferences(parsed(told.answer), parsed(true_.answer)).map(({ steps, value }): Assertion => {
    return {
      words: fieldWords('body', steps, value),
      holds: ({ requests }) => requests.filter(isSame).some((each) => hasValue(parsed(each.answer), steps, value)),
    };
  });
  return told.status === true_.status ? fields : [status, ...fields];
}

/** A request without the ids in its path. */
function requestName({ method, path }: RequestRow): string {
  return `${method} ${path}`.replace(/\/[a-z]{2,5}_[0-9a-f]{12,}/g, '/{id}');
}

/** The first field in which an event is not the true one. */
function ofEvents({ deliveries }: RunRecord, lie: string): Assertion[] {
  return deliveries.flatMap((row) => {
    if (!row.lie?.includes(lie) || !row.truth) return [];
    return firstDifferences(row.envelope, row.truth).map(({ steps, value }): Assertion => {
      return {
        words: fieldWords('event', steps, value),
        holds: (record) =>
          record.deliveries.some((each) => each.type === row.type && hasValue(each.envelope, steps, value)),
      };
    });
  });
}

/** A type of event that came on the truth and does not under the lie. */
function delivered(truth: RunRecord, lied: RunRecord): Assertion | undefined {
  const types = (record: RunRecord) => record.deliveries.filter(isDelivered).map(({ type }) => type);
  const missing = types(truth).find((type) => !types(lied).includes(type));
  if (missing === undefined) return undefined;
  return {
    words: {
      expect: `await expect(account).toHaveDelivered('${missing}');`,
      assert: `assert.ok((await account.deliveries()).some((each) => each.type === '${missing}'));`,
      pytest: `assert any(each["type"] == "${missing}" for each in account.deliveries())`,
    },
    holds: (record) => types(record).includes(missing),
  };
}

function isDelivered({ status }: DeliveryRow): boolean {
  return status === 'delivered';
}

/** A forged event that was believed is a finding of the verdict. */
function verdictOf(): Assertion {
  return {
    words: {
      expect: 'expect((await account.verdict()).findings).toEqual([]);',
      assert: 'assert.deepEqual((await account.verdict()).findings, []);',
      pytest: 'assert account.verdict()["findings"] == []',
    },
    holds: ({ findings }) => findings.length === 0,
  };
}

/** A position in a JSON, and what is there on the truth: a value, or what is known of it. */
interface Wanted {
  steps: readonly (string | number)[];
  value: Value;
}

type Scalar = string | number | boolean | null;
type Value = { is: Scalar } | { length: number } | { type: string };

/** What differs by itself from run to run. */
const VOLATILE = /^(?:[a-z]{2,5}_[0-9a-zA-Z]{12,}|https?:|\d{4}-\d\d-\d\dT)/;
const LATEST_TIME = 1e9;

function firstDifferences(told: unknown, should: unknown): Wanted[] {
  const found: Wanted[] = [];
  compare([], told, should, found);
  return found.slice(0, 8);
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
  if (!isVolatile) found.push({ steps, value: { is: should } });
  else if (typeof told !== typeof should) found.push({ steps, value: { type: typeof should } });
}

function hasValue(body: unknown, steps: readonly (string | number)[], value: Value): boolean {
  const found = steps.reduce<unknown>((inside, step) => Object(inside)[step], body);
  if ('is' in value) return found === value.is;
  if ('length' in value) return Array.isArray(found) && found.length === value.length;
  return typeof found === value.type;
}

function fieldWords(root: string, steps: readonly (string | number)[], value: Value): Assertion['words'] {
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
function words(js: string, python: readonly string[], value: string | number | boolean | null): Assertion['words'] {
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
function parsed(text: string | null | undefined): unknown {
  try {
    return text === null || text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
