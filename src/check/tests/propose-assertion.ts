import { parsedJson } from '../../base/text.ts';
import type { DeliveryRow, LedgerRow, RequestRow, RunRecord } from '../runner/run-record.ts';
import {
  type Assertion,
  dialectOf,
  equal,
  fieldWords,
  firstDifferences,
  hasValue,
  headerNamed,
  isAtHand,
  testTextOf,
  valueAt,
  type Words,
  words,
} from './assertion-words.ts';
import { contentOf } from './baseline.ts';
import type { BaselineRuns } from './baseline-runs.ts';
import type { Row } from './judge-attempt.ts';

/**
 * A line for the runner of a suite that passes in the baseline run and fails under the lie, which is checked over what is on
 * record of both, and uses names that the test has; undefined where no such line is known.
 */
export function proposeAssertion({ unit, run }: Row, baselineRuns: BaselineRuns, command: string): string | undefined {
  const [lied, true_] = [run?.records.get(unit.unit), baselineRuns.run.records.get(unit.unit)];
  if (!lied || !true_) return undefined;
  const content = unit.file === undefined ? undefined : contentOf(unit.file);
  const dialect = dialectOf({ file: unit.file, content }, command);
  const proposals = [
    unit.isWhole ? left(true_) : spent(true_),
    ...OF_LYRICS,
    ...answersOf(lied, true_).flatMap(ofAnswer),
    typeOf(true_),
    ...sizeOf(lied, true_),
    ...OF_TAKES,
    staysFinal(true_),
    ...fieldsOf(lied),
    delivered(true_, lied, unit.isWhole),
    ...OF_EVENTS,
  ];
  const text = testTextOf(content, unit.line);
  const proven = proposals.find(
    (each) => each?.holds(true_) && !each.holds(lied) && isAtHand(each.words[dialect], text),
  );
  return proven?.words[dialect];
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
    words: equal(
      ['account.credits', `${credits}`],
      ['account["credits"]', `${credits}`],
      `if account.Credits != ${credits} { t.Fatalf("credits is %d", account.Credits) } // ${note}`,
      note,
    ),
    holds: (record) => sum(record.ledger) === credits,
  };
}

function spendOf(ledger: readonly LedgerRow[]): { credits: number; refunds: number } {
  const paid = ledger.filter(({ type }) => type === 'charge' || type === 'refund');
  const credits = 0 - paid.reduce((sum, { amount }) => sum + amount, 0);
  return { credits: credits === 0 ? 0 : credits, refunds: paid.filter(({ type }) => type === 'refund').length };
}

/** An answer under the lie, and the true one: as the emulator recorded it, else of the same request in the baseline run. */
interface AnswerPair {
  actual: RequestRow;
  true_: Pick<RequestRow, 'status' | 'answer'>;
}

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
  'content-type',
  'svc-emulator-credits-spent',
  'svc-emulator-credits-remaining',
  'svc-emulator-prompt-tokens',
  'svc-emulator-completion-tokens',
  'content-length',
];

/** The headers in which an answer that is no JSON is not the true one. */
function headersOf(actual: RequestRow): Assertion[] {
  const [sent, expected] = [actual.response?.headers, actual.truth?.headers];
  if (!sent || !expected || parsedJson(actual.truth?.body) !== undefined) return [];
  const same = ({ requests }: RunRecord) => requests.filter((each) => requestName(each) === requestName(actual));
  return HEADERS.flatMap((name): Assertion[] => {
    const value = expected[name] === undefined ? undefined : String(expected[name]);
    if (value === undefined || String(sent[name]) === value) return [];
    const isSo = ({ response }: RequestRow) => !response || String(response.headers?.[name]) === value;
    return [{ words: words(headerNamed(name), value), holds: (record) => isEvery(same(record), isSo) }];
  });
}

/** A request without the ids in its path. */
function requestName({ method, path }: RequestRow): string {
  return `${method} ${path}`.replace(/\/[a-z]{2,5}_[0-9a-f]{12,}/g, '/{id}');
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

/** A type of event that came in the baseline run and does not under the lie; `isWhole`: there is no account at hand. */
function delivered(baseline: RunRecord, lied: RunRecord, isWhole: boolean): Assertion | undefined {
  const types = ({ deliveries }: RunRecord) =>
    deliveries.filter(({ status }) => status === 'delivered').map(({ type }) => type);
  const missing = types(baseline).find((type) => !types(lied).includes(type));
  if (missing === undefined) return undefined;
  return { words: deliveredWords(missing, isWhole), holds: (record) => types(record).includes(missing) };
}

function deliveredWords(type: string, isWhole: boolean): Words {
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

type Data = Record<string, unknown>;

/** Orders of jobs: what was sent, and what was answered. */
function ordersOf({ requests }: RunRecord): { sent: Data; answered: Data }[] {
  const orders = requests.filter(({ method, status }) => method === 'POST' && status === 202);
  return orders.map(({ request, answer }) => ({
    sent: Object(parsedJson(request)),
    answered: Object(parsedJson(answer)),
  }));
}

/** The jobs that orders have listed in their answers, by id, each with the lyrics of its order. */
function jobsOf(record: RunRecord): Map<unknown, Data> {
  const jobs = ordersOf(record).flatMap(({ answered: { data = [], lyrics } }) =>
    [data].flat().map((job) => ({ ...Object(job), lyrics })),
  );
  return new Map(jobs.map((job) => [job.id, job]));
}

/** What reads of such jobs were answered. */
function readsOf(record: RunRecord): Data[] {
  const jobs = jobsOf(record);
  const reads = record.requests.filter(({ method, status }) => method === 'GET' && status === 200);
  return reads.map(({ answer }) => Object(parsedJson(answer))).filter(({ id }) => jobs.has(id));
}

/** What events of such jobs said. */
function eventsOf(record: RunRecord): Data[] {
  const jobs = jobsOf(record);
  return record.deliveries.map(({ envelope }) => Object(valueAt(envelope, ['data']))).filter(({ id }) => jobs.has(id));
}

/** The files that were read whole. */
function filesOf({ requests }: RunRecord) {
  return requests.flatMap(({ file, path, status }) => (file && status === 200 ? [{ ...file, path }] : []));
}

/** Whether there are such things, and all of them are so. */
function isEvery<T>(items: readonly T[], isSo: (item: T) => boolean): boolean {
  return items.length > 0 && items.every(isSo);
}

/** Whether all of these have the value that the order of their job has listed. */
function isAsOrdered(record: RunRecord, items: readonly Data[], name: 'take' | 'seed'): boolean {
  const jobs = jobsOf(record);
  return isEvery(items, (item) => jobs.get(item.id)?.[name] === item[name]);
}

const SENT_WITH = 'what the order was sent with';

/** Lyrics of songs are those that were sent, and a job's are those of its order. */
const OF_LYRICS: readonly Assertion[] = [
  {
    words: equal(
      ['order.lyrics', 'sent.lyrics'],
      ['order["lyrics"]', 'sent["lyrics"]'],
      `if order.Lyrics != sent.Lyrics { t.Fatalf("lyrics is %q", order.Lyrics) } // sent: ${SENT_WITH}`,
      SENT_WITH,
    ),
    holds: (record) => {
      const orders = ordersOf(record).filter(({ sent: { lyrics } }) => typeof lyrics === 'string' && lyrics !== '');
      return isEvery(orders, ({ sent, answered }) => answered.lyrics === sent.lyrics);
    },
  },
  {
    words: equal(
      ['job.lyrics', 'order.lyrics'],
      ['job["lyrics"]', 'order["lyrics"]'],
      'if job.Lyrics != order.Lyrics { t.Fatalf("lyrics is %q, expected %q", job.Lyrics, order.Lyrics) }',
    ),
    holds: (record) => {
      const jobs = jobsOf(record);
      const reads = readsOf(record).filter(({ id }) => typeof jobs.get(id)?.lyrics === 'string');
      return isEvery(reads, ({ id, lyrics }) => lyrics === jobs.get(id)?.lyrics);
    },
  },
];

/** Two takes are two files with two seeds, and a job has the seed that its order has listed. */
const OF_TAKES: readonly Assertion[] = [
  {
    words: {
      expect: 'expect(files[0].equals(files[1])).toBe(false); // the bytes of both takes',
      assert: 'assert.ok(!files[0].equals(files[1])); // the bytes of both takes',
      pytest: 'assert files[0] != files[1]  # the bytes of both takes',
      go: 'if bytes.Equal(files[0], files[1]) { t.Fatal("both takes are one file") } // files: the bytes of both takes',
    },
    holds: (record) => {
      const etags = new Map(filesOf(record).map(({ path, etag }) => [path, etag]));
      return etags.size > 1 && new Set(etags.values()).size === etags.size;
    },
  },
  {
    words: {
      expect: 'expect(order.data[0].seed).not.toBe(order.data[1].seed);',
      assert: 'assert.notEqual(order.data[0].seed, order.data[1].seed);',
      pytest: 'assert order["data"][0]["seed"] != order["data"][1]["seed"]',
      go: 'if order.Data[0].Seed == order.Data[1].Seed { t.Fatal("both takes have one seed") }',
    },
    holds: (record) => {
      const seeds = [...jobsOf(record).values()].map(({ seed }) => seed);
      return seeds.length > 1 && new Set(seeds).size === seeds.length;
    },
  },
  {
    words: equal(
      ['job.seed', 'order.data.find(({ id }) => id === job.id).seed'],
      ['job["seed"]', 'next(each["seed"] for each in order["data"] if each["id"] == job["id"])'],
      'for _, each := range order.Data { if each.ID == job.ID && each.Seed != job.Seed { t.Fatalf("the seed is %d, expected %d", job.Seed, each.Seed) } }',
    ),
    holds: (record) => isAsOrdered(record, readsOf(record), 'seed'),
  },
];

/** An event says of a take what the order of both has said, and a forged one that was believed is a finding of the verdict. */
const OF_EVENTS: readonly Assertion[] = [
  {
    words: equal(
      ['event.data.id', 'order.data.find(({ take }) => take === event.data.take).id'],
      ['event["data"]["id"]', 'next(job["id"] for job in order["data"] if job["take"] == event["data"]["take"])'],
      'for _, job := range order.Data { if job.Take == event.Data.Take && job.ID != event.Data.ID { t.Fatalf("take %d is %s, not %s", job.Take, job.ID, event.Data.ID) } }',
    ),
    holds: (record) => isAsOrdered(record, eventsOf(record), 'take'),
  },
  {
    words: equal(
      ['event.data.seed', 'order.data.find(({ id }) => id === event.data.id).seed'],
      ['event["data"]["seed"]', 'next(job["seed"] for job in order["data"] if job["id"] == event["data"]["id"])'],
      'for _, job := range order.Data { if job.ID == event.Data.ID && job.Seed != event.Data.Seed { t.Fatalf("the seed is %d, expected %d", event.Data.Seed, job.Seed) } }',
    ),
    holds: (record) => isAsOrdered(record, eventsOf(record), 'seed'),
  },
  {
    words: {
      expect: 'expect((await account.verdict()).findings).toEqual([]);',
      assert: 'assert.deepEqual((await account.verdict()).findings, []);',
      pytest: 'assert account.verdict()["findings"] == []',
      go: 'var verdict struct{ Findings []svctest.JSON }; svctest.Control(t, "GET", "/verdict?account_id="+account.ID, nil, &verdict); if len(verdict.Findings) > 0 { t.Fatalf("%v", verdict.Findings) }',
    },
    holds: ({ findings }) => findings.length === 0,
  },
];

/** How much shorter a file may be that is no other one. */
const SPARE = 0.75;

/** A file is about as long as the shortest one of its type in the baseline run. */
function sizeOf(lied: RunRecord, baseline: RunRecord): Assertion[] {
  const types = new Set(filesOf(lied).map(({ content_type: type }) => type));
  return [...types].flatMap((type) => {
    const ofType = (record: RunRecord) => filesOf(record).filter((each) => each.content_type === type);
    const least = Math.floor(Math.min(...ofType(baseline).map(({ bytes }) => bytes)) * SPARE);
    if (!Number.isFinite(least)) return [];
    return {
      words: {
        expect: `expect(file.length).toBeGreaterThan(${least}); // its bytes`,
        assert: `assert.ok(file.length > ${least}); // its bytes`,
        pytest: `assert len(file) > ${least}  # its bytes`,
        go: `if len(file) <= ${least} { t.Fatalf("the file has %d bytes", len(file)) } // file: its bytes`,
      },
      holds: (record) => isEvery(ofType(record), ({ bytes }) => bytes > least),
    };
  });
}

function typeOf(baseline: RunRecord): Assertion | undefined {
  const [only, ...others] = new Set(filesOf(baseline).map(({ content_type: type }) => type));
  if (only === undefined || others.length > 0) return undefined;
  return {
    words: words(headerNamed('content-type'), only),
    holds: (record) => isEvery(filesOf(record), ({ content_type: type }) => type === only),
  };
}

const AGAIN = { js: 'again.status', py: 'again["status"]', go: 'again.Status', name: 'status' };

/** A job that has ended stays as it is. */
function staysFinal(baseline: RunRecord): Assertion | undefined {
  const last = readsOf(baseline).at(-1);
  if (last?.completed === undefined || typeof last.status !== 'string') return undefined;
  return { words: words(AGAIN, last.status), holds: isReadAgain };
}

/** Whether an ended job was read again, and had ended then, too. */
function isReadAgain(record: RunRecord): boolean {
  const ended = new Set<unknown>();
  const again = readsOf(record).filter(({ id, completed }) => {
    const isAgain = ended.has(id);
    if (completed !== undefined) ended.add(id);
    return isAgain;
  });
  return isEvery(again, ({ completed }) => completed !== undefined);
}
