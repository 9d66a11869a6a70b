import type { LedgerRow, RequestRow, RunRecord } from '../runner/run-record.ts';
import { type Assertion, firstDifferences, hasValue, parsed } from './answer-differences.ts';
import { type Dialect, fieldWords, headerNamed, words } from './assertion-words.ts';
import { ofEvents } from './event-assertions.ts';
import { OF_LYRICS, ofFiles } from './file-assertions.ts';
import type { Row } from './judge-attempt.ts';
import type { Truth } from './truth.ts';
import { contentOf } from './unit-marks.ts';

/**
 * A line for the runner of a suite that passes on the truth and fails under the lie, which is checked over what is on
 * record of both; undefined where no such line is known.
 */
export function proposeAssertion({ unit, run }: Row, truth: Truth, command: string): string | undefined {
  const [lied, true_] = [run?.records.get(unit.unit), truth.run.records.get(unit.unit)];
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

const STATUS = { js: 'response.status', py: 'response.status_code', go: 'response.StatusCode', name: 'status' };

/** The first field, or the status, in which an answer is not the true one. */
function ofAnswer({ told, true_ }: AnswerPair): Assertion[] {
  const isSame = (other: RequestRow) => requestName(other) === requestName(told);
  const status: Assertion = {
    words: words(STATUS, true_.status),
    holds: ({ requests }) => requests.filter(isSame).every((each) => each.status === true_.status),
  };
  const fields = firstDifferences(parsed(told.answer), parsed(true_.answer)).map(({ steps, value }): Assertion => {
    return {
      words: fieldWords('body', steps, value),
      holds: ({ requests }) => requests.filter(isSame).some((each) => hasValue(parsed(each.answer), steps, value)),
    };
  });
  const all = [...fields, ...headersOf(told)];
  return told.status === true_.status ? all : [status, ...all];
}

/** What a test looks at first where an answer is no JSON; other headers differ by themselves. */
const HEADERS = [
  ...['content-type', 'svc-emulator-credits-spent', 'svc-emulator-credits-remaining'],
  ...['svc-emulator-prompt-tokens', 'svc-emulator-completion-tokens', 'content-length'],
];

/** The headers in which an answer that is no JSON is not the true one. */
function headersOf(told: RequestRow): Assertion[] {
  const [sent, should] = [told.response?.headers, told.truth?.headers];
  if (!sent || !should || parsed(told.truth?.body) !== undefined) return [];
  return HEADERS.flatMap((name): Assertion[] => {
    const value = should[name] === undefined ? undefined : String(should[name]);
    if (value === undefined || String(sent[name]) === value) return [];
    return [
      {
        words: words(headerNamed(name), value),
        holds({ requests }) {
          const same = requests.filter((each) => requestName(each) === requestName(told));
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
