import { parsedJson } from '../../base/parsed-json.ts';
import type { DeliveryRow, LedgerRow, RequestRow, RunRecord } from '../runner/run-record.ts';
import { type Assertion, firstDifferences, hasValue, jobsOrdered, valueAt } from './answer-differences.ts';
import { type Dialect, fieldWords, headerNamed, words } from './assertion-words.ts';
import type { BaselineRuns } from './baseline-runs.ts';
import { OF_LYRICS, ofFiles } from './file-assertions.ts';
import type { Row } from './judge-attempt.ts';
import { contentOf } from './unit-marks.ts';

/**
 * A line for the runner of a suite that passes in the baseline run and fails under the lie, which is checked over what is on
 * record of both; undefined where no such line is known.
 */
export function proposeAssertion({ unit, run }: Row, baselineRuns: BaselineRuns, command: string): string | undefined {
  const [lied, true_] = [run?.records.get(unit.unit), baselineRuns.run.records.get(unit.unit)];
  if (!lied || !true_) return undefined;
  const dialect = dialectOf(unit.file, command);
  const proposals = [
    unit.isWhole ? left(true_) : spent(true_),
    ...OF_LYRICS,
    ...answersOf(lied, true_).flatMap(ofAnswer),
    ...ofFiles(lied, true_),
    ...ofEvents(lied, true_, unit.isWhole),
  ];
  const proven = proposals.find((each) => each?.holds(true_) && !each.holds(lied));
  return proven?.words[dialect];
}

/** By what the test file imports, else by the command. */
function dialectOf(file: string | undefined, command: string): Dialect {
  if (file?.endsWith('.go') || /\bgo (?:test|run)\b/.test(command)) return 'go';
  if (file?.endsWith('.py') || /\b(?:pytest|python3?)\b/.test(command)) return 'pytest';
  const text = `${(file && contentOf(file)) ?? ''} ${command}`;
  if (/svc-emulator\/node-test|node:test|node --test/.test(text)) return 'assert';
  return /\b(?:vitest|jest|playwright)\b|\bexpect\(/.test(text) ? 'expect' : 'assert';
}

/** What the account has spent: every lie about money itself is seen there. */
function spent(record: RunRecord): Assertion {
  const { credits, refunds } = spendOf(record.ledger);
  return {
    words: {
      expect: `await expect(account).toHaveSpent({ credits: ${credits}, refunds: ${refunds} });`,
      assert: `const { credits, refunds } = await totalSpend(account); assert.deepEqual({ credits, refunds }, { credits: ${credits}, refunds: ${refunds} });`,
      pytest: `assert -sum(entry["amount"] for entry in account.ledger() if entry["type"] in ("charge", "refund")) == ${credits}`,
      go: `if spend := account.ExpectSpend(t, ${credits}, func() { /* the order */ }); spend.Refunds != ${refunds} { t.Fatalf("%v", spend) }`,
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
      go: `if account.Credits != ${credits} { t.Fatalf("credits is %d", account.Credits) } // ${note}`,
    },
    holds: (record) => sum(record.ledger) === credits,
  };
}

function spendOf(ledger: readonly LedgerRow[]): { credits: number; refunds: number } {
  const paid = ledger.filter(({ type }) => type === 'charge' || type === 'refund');
  const credits = 0 - paid.reduce((sum, { amount }) => sum + amount, 0);
  return { credits: credits === 0 ? 0 : credits, refunds: paid.filter(({ type }) => type === 'refund').length };
}

/** An answer under the lie, and the one in the baseline run. */
interface AnswerPair {
  actual: RequestRow;
  true_: Pick<RequestRow, 'status' | 'answer'>;
}

/** Answers beside what is true: as the emulator recorded it, else the answer to the same request in the baseline run. */
function answersOf(lied: RunRecord, baseline: RunRecord): AnswerPair[] {
  const counts = new Map<string, number>();
  return lied.requests.flatMap((actual): AnswerPair[] => {
    const name = requestName(actual);
    const turn = counts.get(name) ?? 0;
    counts.set(name, turn + 1);
    const same = baseline.requests.filter((each) => requestName(each) === name)[turn];
    const true_ = actual.truth ? { status: actual.truth.status, answer: actual.truth.body } : same;
    return true_ ? [{ actual, true_ }] : [];
  });
}

const STATUS = { js: 'response.status', py: 'response.status_code', go: 'response.StatusCode', name: 'status' };

/** The first field, or the status, in which an answer is not the true one. */
function ofAnswer({ actual, true_ }: AnswerPair): Assertion[] {
  const isSame = (other: RequestRow) => requestName(other) === requestName(actual);
  const status: Assertion = {
    words: words(STATUS, true_.status),
    holds: ({ requests }) => requests.filter(isSame).every((each) => each.status === true_.status),
  };
  const fields = firstDifferences(parsedJson(actual.answer), parsedJson(true_.answer)).map(
    ({ steps, value }): Assertion => {
      return {
        words: fieldWords('body', steps, value),
        holds: ({ requests }) =>
          requests.filter(isSame).some((each) => hasValue(parsedJson(each.answer), steps, value)),
      };
    },
  );
  const all = [...fields, ...headersOf(actual)];
  return actual.status === true_.status ? all : [status, ...all];
}

/** What a test looks at first where an answer is no JSON; other headers differ by themselves. */
const HEADERS = [
  ...['content-type', 'svc-emulator-credits-spent', 'svc-emulator-credits-remaining'],
  ...['svc-emulator-prompt-tokens', 'svc-emulator-completion-tokens', 'content-length'],
];

/** The headers in which an answer that is no JSON is not the true one. */
function headersOf(actual: RequestRow): Assertion[] {
  const [sent, expected] = [actual.response?.headers, actual.truth?.headers];
  if (!sent || !expected || parsedJson(actual.truth?.body) !== undefined) return [];
  return HEADERS.flatMap((name): Assertion[] => {
    const value = expected[name] === undefined ? undefined : String(expected[name]);
    if (value === undefined || String(sent[name]) === value) return [];
    return [
      {
        words: words(headerNamed(name), value),
        holds({ requests }) {
          const same = requests.filter((each) => requestName(each) === requestName(actual));
          return (
            same.length > 0 && same.every(({ response }) => !response || String(response.headers?.[name]) === value)
          );
        },
      },
    ];
  });
}

/** A request without the ids in its path. */
function requestName({ method, path }: RequestRow): string {
  return `${method} ${path}`.replace(/\/[a-z]{2,5}_[0-9a-f]{12,}/g, '/{id}');
}

/** What can be asserted of the events of a unit; `isWhole`: it has no account at hand. */
function ofEvents(lied: RunRecord, baseline: RunRecord, isWhole: boolean): (Assertion | undefined)[] {
  return [...fieldsOf(lied), delivered(baseline, lied, isWhole), ...RELATIONS, verdict];
}

/** The fields in which an event is not the true one. */
function fieldsOf({ deliveries }: RunRecord): Assertion[] {
  return deliveries.flatMap((row) => {
    if (!row.truth) return [];
    const medium = mediumOf(row);
    const isSame = (each: DeliveryRow) => mediumOf(each) === medium;
    return firstDifferences(row.envelope, row.truth).map(({ steps, value }): Assertion => {
      return {
        words: fieldWords('event', steps, value),
        holds: (record) => record.deliveries.filter(isSame).some((each) => hasValue(each.envelope, steps, value)),
      };
    });
  });
}

/** A success may be reported as a failure. */
function mediumOf({ type }: DeliveryRow): string {
  return type.slice(0, type.lastIndexOf('.'));
}

/** What an event says of a take, and what the order of both has said. */
const RELATIONS: readonly Assertion[] = [
  {
    words: {
      expect: 'expect(event.data.id).toBe(order.data.find(({ take }) => take === event.data.take).id);',
      assert: 'assert.equal(event.data.id, order.data.find(({ take }) => take === event.data.take).id);',
      pytest:
        'assert event["data"]["id"] == next(job["id"] for job in order["data"] if job["take"] == event["data"]["take"])',
      go: 'for _, job := range order.Data { if job.Take == event.Data.Take && job.ID != event.Data.ID { t.Fatalf("take %d is %s, not %s", job.Take, job.ID, event.Data.ID) } }',
    },
    holds: (record) => everyEventOfTakes(record, ({ id, take }, order) => order.get(String(id))?.take === take),
  },
  {
    words: {
      expect: 'expect(event.data.seed).toBe(order.data.find(({ id }) => id === event.data.id).seed);',
      assert: 'assert.equal(event.data.seed, order.data.find(({ id }) => id === event.data.id).seed);',
      pytest:
        'assert event["data"]["seed"] == next(job["seed"] for job in order["data"] if job["id"] == event["data"]["id"])',
      go: 'for _, job := range order.Data { if job.ID == event.Data.ID && job.Seed != event.Data.Seed { t.Fatalf("the seed is %d, expected %d", event.Data.Seed, job.Seed) } }',
    },
    holds: (record) => everyEventOfTakes(record, ({ id, seed }, order) => order.get(String(id))?.seed === seed),
  },
];

type Jobs = ReturnType<typeof jobsOrdered>;

/** Whether there are events of takes that an order has listed, and all of them are so. */
function everyEventOfTakes(record: RunRecord, isSo: (data: Record<string, unknown>, jobs: Jobs) => boolean): boolean {
  const jobs = jobsOrdered(record);
  const data = record.deliveries.map(({ envelope }) => Object(valueAt(envelope, ['data'])));
  const known = data.filter(({ id }) => jobs.has(String(id)));
  return known.length > 0 && known.every((each) => isSo(each, jobs));
}

/** A type of event that came in the baseline run and does not under the lie. */
function delivered(baseline: RunRecord, lied: RunRecord, isWhole: boolean): Assertion | undefined {
  const types = (record: RunRecord) => record.deliveries.filter(isDelivered).map(({ type }) => type);
  const missing = types(baseline).find((type) => !types(lied).includes(type));
  if (missing === undefined) return undefined;
  return { words: deliveredWords(missing, isWhole), holds: (record) => types(record).includes(missing) };
}

function deliveredWords(type: string, isWhole: boolean): Record<Dialect, string> {
  const note = 'the events that the receiver got';
  if (isWhole) {
    return {
      expect: `expect(events.map((event) => event.type)).toContain('${type}'); // ${note}`,
      assert: `assert.ok(events.some((event) => event.type === '${type}')); // ${note}`,
      pytest: `assert any(event["type"] == "${type}" for event in events)  # ${note}`,
      go: `if !types["${type}"] { t.Fatal("${type} did not come") } // types: of ${note}`,
    };
  }
  return {
    expect: `await expect(account).toHaveDelivered('${type}');`,
    assert: `assert.ok((await account.deliveries()).some((each) => each.type === '${type}'));`,
    pytest: `assert any(each["type"] == "${type}" for each in account.deliveries())`,
    go: `receiver.Wait(t, "${type}")`,
  };
}

function isDelivered({ status }: DeliveryRow): boolean {
  return status === 'delivered';
}

/** A forged event that was believed is a finding of the verdict. */
const verdict: Assertion = {
  words: {
    expect: 'expect((await account.verdict()).findings).toEqual([]);',
    assert: 'assert.deepEqual((await account.verdict()).findings, []);',
    pytest: 'assert account.verdict()["findings"] == []',
    go: 'var verdict struct{ Findings []svctest.JSON }; svctest.Control(t, "GET", "/verdict?account_id="+account.ID, nil, &verdict); if len(verdict.Findings) > 0 { t.Fatalf("%v", verdict.Findings) }',
  },
  holds: ({ findings }) => findings.length === 0,
};
