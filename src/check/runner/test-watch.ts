import { type Clock, pause } from '../../base/clock/clock.ts';
import { distinct } from '../../base/text.ts';
import { testKey } from '../../engine/accounts/tests.ts';
import { contextOf, hasAccount, type RunContext, type RunRecord, readRecord, type TestRow } from './run-record.ts';
import type { Preparation, RunSite } from './runner.ts';

interface TestLook {
  context: RunContext;
  clock: Clock;
  everyMs: number;
  isOver(rows: readonly TestRow[]): boolean | Promise<boolean>;
}

type Watch = Required<Pick<Preparation, 'end' | 'over'>>;

export function watchTests({ context, clock, everyMs, isOver }: TestLook): Watch {
  const [over, ended] = [new AbortController(), new AbortController()];
  const look = async () => {
    while (!ended.signal.aborted) {
      await pause(clock, everyMs, ended.signal).catch(() => undefined);
      if (ended.signal.aborted) return;
      const { data } = await context.control('listTests', {});
      if (await isOver(data)) return over.abort();
    }
  };
  const looking = look();
  looking.catch(() => undefined);
  return {
    end() {
      ended.abort();
      return looking;
    },
    over: over.signal,
  };
}

interface HangWatch {
  /** The time in milliseconds after which a test counts as hung. Undefined while that is unknown. */
  limitOf: ((test: string) => number) | undefined;
  clock: Clock;
  /** Running tests whose results are already known. `undefined` in the set stands for a whole command. */
  known?(): ReadonlySet<string | undefined>;
}

interface HungWatch extends Watch {
  hung: ReadonlySet<string>;
}

export interface WatchedRun extends HungWatch {
  readTests(): Promise<TestsOnRecord>;
}

/** Watches the tests of a run. `carrying`: the tests whose records are read; empty means all. */
export function watchRun(
  { context, violations }: RunSite,
  carrying: ReadonlySet<string>,
  watch: HangWatch,
): WatchedRun {
  const { keep, read } = testRecords(context, carrying);
  if (violations) violations.onReplace = keep;
  return { ...watchHangs(context, watch), readTests: read };
}

const LOOK_MS = 250;
/** A runner starts processes between files, so a pause of this length is normal. Milliseconds. */
const QUIET_MS = 5000;

/** Ends a run when every running test is known or has exceeded its limit. */
export function watchHangs(context: RunContext, { clock, limitOf, known }: HangWatch): HungWatch {
  const hung = new Set<string>();
  let last = { seen: '', since: clock.real() };
  const isOver = (rows: readonly TestRow[]) => {
    const now = clock.real();
    const clear = known?.() ?? new Set();
    if (clear.has(undefined)) return true;
    const open = rows.filter(({ ended }) => ended === null);
    for (const row of open) {
      if (limitOf && now - Date.parse(row.started) > limitOf(testKey(row))) hung.add(testKey(row));
    }
    if (open.length === 0 || !open.every((row) => clear.has(testKey(row)) || hung.has(testKey(row)))) return false;
    const seen = `${rows.length} ${open.length}`;
    if (seen !== last.seen) last = { seen, since: now };
    return now - last.since >= QUIET_MS;
  };
  return { ...watchTests({ context, clock, everyMs: LOOK_MS, isOver }), hung };
}

export interface TestsOnRecord {
  tests: TestRow[];
  /** By test. The record of the whole run is in the run itself. */
  records: Map<string, RunRecord>;
  /** The record of the whole run before each reset and restore. */
  before: RunRecord[];
}

export const NO_TESTS: TestsOnRecord = { tests: [], records: new Map(), before: [] };

interface Phase {
  tests: Map<string, RunRecord>;
  whole: RunRecord;
}

/**
 * Reads the records of tests at the end and before each reset and restore, which would delete them. `keys`: the tests whose
 * records are read; empty means all.
 */
function testRecords(context: RunContext, keys: ReadonlySet<string>) {
  const phases: Promise<Phase>[] = [];
  const listTests = async () => (await context.control('listTests', {})).data.reverse();
  const recordsOf = async (tests: readonly TestRow[]) => {
    const own = tests.filter((row) => keys.size === 0 || keys.has(testKey(row)));
    // After a reset, ids repeat. They belong to the newest account.
    const owners = new Map(tests.flatMap((row) => row.account_ids.map((id) => [id, row])));
    const recordOfTest = async (row: TestRow) => {
      const ids = [...new Set(row.account_ids)].filter((id) => owners.get(id) === row);
      const all = await Promise.all(ids.map((id) => recordOf(id, context)));
      return [testKey(row), combineRecords(all.flatMap((each) => each ?? []))] as const;
    };
    return new Map(await Promise.all(own.map(recordOfTest)));
  };
  const phaseNow = async () => ({ tests: await recordsOf(await listTests()), whole: await readRecord(context) });
  return {
    /** Errors are reported at the end, because the suite's own reset must not fail. */
    async keep(): Promise<void> {
      const phase = phaseNow();
      phases.push(phase);
      await phase.catch(() => undefined);
    },
    async read(): Promise<TestsOnRecord> {
      const tests = await listTests();
      const last = await recordsOf(tests);
      const before = await Promise.all(phases);
      const all = [...before.map((phase) => phase.tests), last];
      const recordOfAll = (name: string) => joinPhases(all.flatMap((each) => each.get(name) ?? []));
      const records = new Map([...last.keys()].map((name) => [name, recordOfAll(name)]));
      return { tests, records, before: before.map(({ whole }) => whole) };
    },
  };
}

async function recordOf(id: string, run: RunContext): Promise<RunRecord | undefined> {
  const context = contextOf(id, run);
  return (await hasAccount(context)) ? readRecord(context) : undefined;
}

export function combineRecords(all: readonly RunRecord[]): RunRecord {
  return {
    accounts: all.flatMap(({ accounts = [] }) => accounts),
    tests: all.flatMap(({ tests = [] }) => tests),
    requests: all.flatMap(({ requests }) => requests),
    jobs: all.flatMap(({ jobs }) => jobs),
    deliveries: all.flatMap(({ deliveries }) => deliveries),
    ledger: all.flatMap(({ ledger }) => ledger),
    findings: all.flatMap(({ findings }) => findings),
  };
}

export function partOf(record: RunRecord, rows: readonly TestRow[], isOwn: boolean): RunRecord {
  const ids = new Set(rows.flatMap((row) => row.account_ids));
  const isOf = (id: string | null | undefined) => ids.has(id ?? '') === isOwn;
  const asked = record.requests.filter(({ account_id: id }) => ids.has(id ?? ''));
  const subjects = new Set(asked.flatMap(({ job_ids: jobs, run_id: run }) => [...jobs, run ?? '']).filter(Boolean));
  const deliveries = record.deliveries.filter(({ subject }) => subjects.has(subject ?? ''));
  const endpoints = new Set(deliveries.map(({ endpoint_id: id }) => id));
  return {
    accounts: (record.accounts ?? []).filter(({ id }) => isOf(id)),
    tests: (record.tests ?? []).filter((row) => rows.includes(row) === isOwn),
    requests: record.requests.filter(({ account_id: id }) => isOf(id)),
    jobs: record.jobs.filter(({ account_id: id }) => isOf(id)),
    deliveries: record.deliveries.filter(({ endpoint_id: id }) => endpoints.has(id) === isOwn),
    ledger: record.ledger.filter(({ account_id: id }) => isOf(id)),
    findings: record.findings.filter(({ account_id: id }) => isOf(id)),
  };
}

/** Joins the records between resets. A restore brings back earlier records. */
export function joinPhases(phases: readonly RunRecord[]): RunRecord {
  const { requests, jobs, deliveries, findings, ledger } = combineRecords(phases);
  // Only the last books count: earlier ones belong to other accounts or were restored.
  const last = phases.findLast((phase) => phase.requests.length > 0);
  return {
    requests: distinct(requests),
    jobs: distinct(jobs),
    deliveries: distinct(deliveries),
    findings: distinct(findings),
    ledger: last?.ledger ?? ledger,
  };
}
