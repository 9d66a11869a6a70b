import path from 'node:path';
import { type Clock, waitRealTime } from '../../base/clock/clock.ts';
import { extractErrorText } from '../../base/output/output-line.ts';
import { MAX_TEST_NAME_LENGTH, parseFailedTests } from '../../client/runners/parse-failed-tests.ts';
import type { OperationCaller, WireAnswer } from '../../control/call-operation.ts';

type Request = WireAnswer<'showRequest'>;

export type ServedFileDetails = NonNullable<WireAnswer<'listRecord'>['data'][number]['detail']['file']>;

export type RequestRow = Pick<
  Request,
  'id' | 'account_id' | 'method' | 'path' | 'status' | 'received_at' | 'duration_ms' | 'charges' | 'job_ids'
> &
  Pick<Request, 'request' | 'answer'> & { file?: ServedFileDetails | undefined } & Partial<
    Pick<Request, 'run_id' | 'fault' | 'cut' | 'credits' | 'retry_count'>
  >;

type Job = WireAnswer<'listJobs'>['data'][number];

export type RecordedJob = Pick<Job, 'id' | 'status'> & { account_id?: string; take?: number; library_id?: string };

type Delivery = WireAnswer<'listDeliveries'>['data'][number];

export type DeliveryRow = Pick<
  Delivery,
  'id' | 'event_id' | 'endpoint_id' | 'url' | 'attempted_at' | 'duration_ms' | 'response_status' | 'error'
> & { type: string; status: string; fault: string | null };

type Entry = WireAnswer<'listUsage'>['data'][number];

export type LedgerRow = Pick<Entry, 'id' | 'type' | 'amount' | 'job_id'> & { account_id?: string | undefined };

export type VerdictFinding = WireAnswer<'judgeClient'>['findings'][number];

export type AccountRow = Pick<WireAnswer<'showAccount'>, 'id' | 'name'>;

export interface FailedTest {
  name: string;
  file?: string | undefined;
  line?: number | undefined;
  error?: string | undefined;
}

export type TestRow = WireAnswer<'listTests'>['data'][number];

export interface RunRecord {
  tests?: TestRow[];
  /** The failed tests as fixtures report them, or else the reporter of node:test, or else the output of the command. */
  failedTests?: FailedTest[];
  accounts?: AccountRow[];
  requests: RequestRow[];
  jobs: RecordedJob[];
  deliveries: (DeliveryRow & Subject)[];
  ledger: LedgerRow[];
  findings: VerdictFinding[];
}

interface Subject {
  subject?: string | undefined;
}

export interface RunContext {
  control: OperationCaller;
  accountId: string;
}

const PAGE = 1000;

export type PageReader<Row> = (page: { limit: number; after: string | undefined }) => Promise<{ data: Row[] }>;

export async function readAllPages<Row extends { id: string }>(read: PageReader<Row>, after?: string): Promise<Row[]> {
  const { data } = await read({ limit: PAGE, after });
  const older = data.length < PAGE ? [] : await readAllPages(read, data.at(-1)?.id);
  return [...older, ...data.reverse()];
}

const QUIET_MS = 25;
const LIMIT_MS = 15_000;
const IDLE_SECONDS = 12;

/** Waits until all work has ended. Returns false if some has not, except for jobs that only the tests could end. */
export async function settleRun({ control }: RunContext, clock: Clock, hasApp: boolean): Promise<boolean> {
  await control('setProgression', { mode: 'render' });
  const end = clock.real() + LIMIT_MS;
  let seen: string | undefined;
  while (clock.real() < end) {
    const idle = await control('waitFor', { for: 'idle', timeout: IDLE_SECONDS })
      .then(() => true)
      .catch(() => false);
    if (!idle) return waitsForTests(control);
    if (!hasApp) return true;
    const { data } = await control('listRequests', { limit: 1, brief: 'true' });
    const newest = data[0]?.id ?? '';
    if (newest === seen) return true;
    seen = newest;
    await waitRealTime(clock, QUIET_MS);
  }
  return false;
}

async function waitsForTests(control: OperationCaller): Promise<boolean> {
  const { data } = await control('listJobs', { limit: PAGE });
  const open = data.filter(({ status }) => status === 'queued' || status === 'processing');
  const owners = [...new Set(open.map(({ account_id: id }) => id))];
  const modes = await Promise.all(owners.map((id) => control('getProgression', { account_id: id })));
  return open.length > 0 && modes.every(({ mode }) => mode === 'polls' || mode === 'manual');
}

export async function readRunRecord({ control, accountId }: RunContext): Promise<RunRecord> {
  const [asked, reads, jobs, deliveries, events, verdict, tests] = await Promise.all([
    readAllPages((page) => control('listRequests', page)),
    readAllPages((page) => control('listRecord', { ...page, kind: 'read' })),
    readAllPages((page) => control('listJobs', page)),
    readAllPages((page) => control('listDeliveries', page)),
    readAllPages((page) => control('listEvents', page)),
    control('judgeClient', {}),
    control('listTests', {}),
  ]);
  const requests = asked.filter((request) => 'answer' in request);
  const ids = [...new Set([accountId, ...requests.flatMap(({ account_id: id }) => id ?? [])])];
  const ledgers = await Promise.all(ids.map((id) => readAllPages((page) => control('listUsage', { id, ...page }))));
  const sent = new Map(events.map((event) => [event.id, event]));
  return {
    accounts: await Promise.all(ids.map((id) => control('showAccount', { id }))),
    requests: [...requests, ...downloadsOf(reads)],
    jobs,
    deliveries: deliveries.map((each) => ({ ...each, ...contentOf(sent.get(each.event_id)) })),
    ledger: ledgers.flatMap((rows, at) => rows.map((each) => ({ ...each, account_id: ids[at] }))),
    findings: verdict.findings,
    failedTests: selectFailedTests(tests.data),
    tests: tests.data.reverse(),
  };
}

export function selectFailedTests(tests: readonly TestRow[]): FailedTest[] {
  return tests.filter(({ outcome }) => outcome === 'failed').map(toFailedTest);
}

export function failedTestsInOutput(output: string): FailedTest[] {
  return parseFailedTests(output.split('\n')).map(({ name, file, line, error }) => ({
    name: name.slice(0, MAX_TEST_NAME_LENGTH),
    file: relativeToWorkingFolder(file),
    line,
    error: error ?? extractErrorText(output, 1),
  }));
}

export function relativeToWorkingFolder(file: string | undefined): string | undefined {
  return file && path.relative(process.cwd(), file).split(path.sep).join('/');
}

export function toFailedTest({ name, file, line, error }: TestRow): FailedTest {
  return { name, file: relativeToWorkingFolder(file ?? undefined), line: line ?? undefined, error: error ?? undefined };
}

function contentOf(event: WireAnswer<'listEvents'>['data'][number] | undefined) {
  if (!event) return {};
  return { subject: subjectOf(event.envelope.data) };
}

function subjectOf({ id, run }: Record<string, unknown>): string {
  return String(Object(run).id ?? id);
}

const EXPIRED = 403;

function downloadsOf(reads: WireAnswer<'listRecord'>['data']): RequestRow[] {
  return reads.flatMap(({ id, at, account_id, call, detail: { file } }): RequestRow[] => {
    if (!call || call.status === EXPIRED) return [];
    const none = { duration_ms: 0, charges: [], job_ids: [], request: null, answer: null };
    const { cut, ...asked } = call;
    return [{ id, account_id, ...asked, ...(cut ? { cut } : {}), received_at: at, ...none, file }];
  });
}
