import { isDeepStrictEqual } from 'node:util';
import { parsedJson } from '../../base/text.ts';
import type { DeliveryRow, LedgerRow, RequestRow, RunRecord } from '../runner/run-record.ts';
import {
  type Assertion,
  callsIt,
  dialectOf,
  expects,
  fieldOf,
  firstDifferences,
  hasValue,
  headerOf,
  isAtHand,
  testTextOf,
  valueAt,
  writtenLine,
} from './assertion-words.ts';
import { contentOf } from './baseline.ts';
import type { BaselineRuns } from './baseline-runs.ts';
import { isOfAnswer, type Row } from './judge-attempt.ts';

/**
 * A line for the runner of a suite that passes in the baseline run and fails under the lie, which is checked over what is on
 * record of both, and uses names that the test has; undefined where no such line is known.
 */
export function proposeAssertion(
  { pair, unit, harm, run }: Row,
  baselineRuns: BaselineRuns,
  command: string,
): string | undefined {
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
    // What one answer says keeps no event away, unless the app did something else for it.
    harm || !isOfAnswer(pair) ? delivered(true_, lied, unit.isWhole) : undefined,
    ...OF_EVENTS,
  ];
  const text = testTextOf(content, unit.line);
  const proven = proposals.find(
    (each) =>
      each?.holds(true_) &&
      !each.holds(lied) &&
      isAtHand(writtenLine(each, dialect), text) &&
      (each.path === undefined || callsIt(content, each.path)),
  );
  return proven && writtenLine(proven, dialect);
}

/** What the account has spent: every lie about money itself is seen there. */
function spent({ ledger: own }: RunRecord): Assertion {
  const holes = spendOf(own);
  return { row: 'spent', holes, holds: ({ ledger }) => isDeepStrictEqual(spendOf(ledger), holes) };
}

/** What is left: a suite without fixtures has no account at hand but the one of its key. */
function left(record: RunRecord): Assertion {
  const sum = ({ ledger }: RunRecord) => ledger.reduce((total, { amount }) => total + amount, 0);
  const credits = sum(record);
  return { row: 'left', holes: { credits }, holds: (each) => sum(each) === credits };
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
  const same = sameAs(actual);
  const status: Assertion = {
    ...expects(STATUS, { row: 'value', value: true_.status }),
    path: actual.path,
    holds: (record) => same(record).every((each) => each.status === true_.status),
  };
  const fields = firstDifferences(parsedJson(actual.answer), parsedJson(true_.answer)).map((expected): Assertion => {
    const holds: Assertion['holds'] = (record) =>
      same(record).some((each) => hasValue(parsedJson(each.answer), expected));
    return { ...expects(fieldOf('body', expected.steps), expected.value), path: actual.path, holds };
  });
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
  return HEADERS.flatMap((name): Assertion[] => {
    const value = expected[name] === undefined ? undefined : String(expected[name]);
    if (value === undefined || String(sent[name]) === value) return [];
    const isSo = ({ response }: RequestRow) => !response || String(response.headers?.[name]) === value;
    const line = expects(headerOf(name), { row: 'value', value });
    return [{ ...line, path: actual.path, holds: (record) => isEvery(sameAs(actual)(record), isSo) }];
  });
}

/** A request without the ids in its path. */
function requestName({ method, path }: RequestRow): string {
  return `${method} ${path}`.replace(/\/[a-z]{2,5}_[0-9a-f]{12,}/g, '/{id}');
}

/** The requests of a record that are the same one. */
function sameAs(actual: RequestRow): (record: RunRecord) => RequestRow[] {
  return ({ requests }) => requests.filter((each) => requestName(each) === requestName(actual));
}

/** The fields in which an event is not the true one. */
function fieldsOf({ deliveries }: RunRecord): Assertion[] {
  return deliveries.flatMap((row) => {
    if (!row.truth) return [];
    const medium = mediumOf(row);
    const isSame = (each: DeliveryRow) => mediumOf(each) === medium;
    return firstDifferences(row.envelope, row.truth).map((expected): Assertion => {
      const holds: Assertion['holds'] = (record) =>
        record.deliveries.filter(isSame).some((each) => hasValue(each.envelope, expected));
      return { ...expects(fieldOf('event', expected.steps), expected.value), holds };
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
  const row = isWhole ? 'received' : 'delivered';
  return { row, holes: { type: missing }, holds: (record) => types(record).includes(missing) };
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

/** Lyrics of songs are those that were sent, and a job's are those of its order. */
const OF_LYRICS: readonly Assertion[] = [
  {
    row: 'lyrics as sent',
    holds: (record) => {
      const orders = ordersOf(record).filter(({ sent: { lyrics } }) => typeof lyrics === 'string' && lyrics !== '');
      return isEvery(orders, ({ sent, answered }) => answered.lyrics === sent.lyrics);
    },
  },
  {
    row: 'lyrics as ordered',
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
    row: 'two files',
    holds: (record) => areTwo([...new Map(filesOf(record).map(({ path, etag }) => [path, etag])).values()]),
  },
  { row: 'two seeds', holds: (record) => areTwo([...jobsOf(record).values()].map(({ seed }) => seed)) },
  { row: 'seed of a job', holds: (record) => isAsOrdered(record, readsOf(record), 'seed') },
];

/** Whether there are several, each another. */
function areTwo(values: readonly unknown[]): boolean {
  return values.length > 1 && new Set(values).size === values.length;
}

/** An event says of a take what the order of both has said, and a forged one that was believed is a finding of the verdict. */
const OF_EVENTS: readonly Assertion[] = [
  { row: 'job of a take', holds: (record) => isAsOrdered(record, eventsOf(record), 'take') },
  { row: 'seed of an event', holds: (record) => isAsOrdered(record, eventsOf(record), 'seed') },
  { row: 'nothing believed', holds: ({ findings }) => findings.length === 0 },
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
      row: 'size of a file',
      holes: { bytes: least },
      holds: (record) => isEvery(ofType(record), ({ bytes }) => bytes > least),
    };
  });
}

function typeOf(baseline: RunRecord): Assertion | undefined {
  const [only, ...others] = new Set(filesOf(baseline).map(({ content_type: type }) => type));
  if (only === undefined || others.length > 0) return undefined;
  return {
    ...expects(headerOf('content-type'), { row: 'value', value: only }),
    holds: (record) => isEvery(filesOf(record), ({ content_type: type }) => type === only),
  };
}

const AGAIN = { js: 'again.status', py: 'again["status"]', go: 'again.Status', name: 'status' };

/** A job that has ended stays as it is. */
function staysFinal(baseline: RunRecord): Assertion | undefined {
  const last = readsOf(baseline).at(-1);
  if (last?.completed === undefined || typeof last.status !== 'string') return undefined;
  return { ...expects(AGAIN, { row: 'value', value: last.status }), holds: isReadAgain };
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
