import path from 'node:path';
import type { Clock } from '../../base/clock/clock.ts';
import type {
  ActedViolationRecord,
  ReachedViolationRecord,
  ViolationOrder,
  ViolationSwitch,
} from '../../client/violation-relay.ts';
import { violationRow } from '../../control/violations/violation-table.ts';
import { testKey } from '../../engine/accounts/tests.ts';
import { INBOX_PATH } from '../../engine/webhooks/inbox.ts';
import type { RunRecord, TestRow } from '../runner/run-record.ts';
import {
  NO_COMMAND,
  type Prepare,
  type Rank,
  type Run,
  RunFault,
  type Runner,
  type RunSite,
  type RunTrace,
} from '../runner/runner.ts';
import { joinPhases, NO_TESTS, type TestsOnRecord, type WatchedRun, watchRun } from '../runner/test-watch.ts';

export interface ReachedSite {
  violation: string;
  site: string;
}

export interface TestResult {
  key: string;
  name: string;
  /** For a whole command, each violation has a run of its own. */
  isWhole: boolean;
  file?: string | undefined;
  line?: number | undefined;
  /** `open`: the test was running when the run was ended. */
  outcome: 'passed' | 'failed' | 'open';
  ms: number;
  /** The error of the test, or the last output of the command. */
  error?: string | undefined;
  requests: number;
  /** The test moved the clock, reset or restored, so its violations have runs of their own. */
  exclusive: boolean;
  sites: readonly ReachedSite[];
}

export interface MeasureOrder {
  armed: readonly ViolationOrder[];
  /** Every request to the service returns 500, and nothing is delivered. */
  isDead?: boolean;
  /** Undefined if the usual length of the command is unknown. */
  limitMs?: number | undefined;
  limitOf?: ((test: string) => number) | undefined;
  trace?: string | undefined;
  rank?: Rank;
}

export interface MeasuredRun {
  tests: readonly TestResult[];
  isHung: boolean;
  hung: ReadonlySet<string>;
  hasPassed: boolean;
  isMissing: boolean;
  output: string;
  ms: number;
  requests: number;
  /** Ids of violations that acted and reached a client. */
  acted: ReadonlySet<string>;
  refused: ReadonlySet<string>;
  records: ReadonlyMap<string, RunRecord>;
  /** Milliseconds of the machine's time. */
  began: number;
  trace?: RunTrace | undefined;
}

/** Runs a suite on equal new state. Throws `RunFault` if no run is possible. */
export type RunSuite = (order: MeasureOrder) => Promise<MeasuredRun>;

export interface MeasuredSuite {
  runner: Runner;
  whole: string;
  clock: Clock;
  folder: string;
}

/** Creates violations before each run, and reads their effects at its end. */
export function suiteOf({ runner, ...about }: MeasuredSuite): RunSuite {
  return async (order) => {
    const { limitMs, rank, trace: title } = order;
    const trace = title === undefined ? undefined : { title, failure: title };
    const run = (prepare: Prepare) => runner.run({ limitMs, rank, trace, prepare });
    return (await measuredBy(run, order, about)).measured;
  };
}

export async function measuredBy(
  make: (prepare: Prepare) => Promise<Run>,
  { armed, isDead = false, limitOf }: MeasureOrder,
  about: Omit<MeasuredSuite, 'runner'>,
): Promise<{ run: Run; measured: MeasuredRun }> {
  const isObserved = armed.length === 0 && !isDead;
  const carrying = new Set(armed.flatMap(({ test }) => test ?? []));
  let watched: WatchedRun | undefined;
  let tests = NO_TESTS;
  let events: ViolationEvents = { reached: [], acted: [], elsewhere: 0 };
  const prepare = async (site: RunSite) => {
    const { violations } = site;
    if (!violations) throw new RunFault('This emulator runs in another process, where violations cannot be armed.');
    violations.setDead(isDead);
    violations.observe(isObserved);
    violations.arm(armed);
    const own = watchRun(site, carrying, { limitOf, clock: about.clock, known: () => refusedTests(armed, violations) });
    watched = own;
    const read = async () => {
      tests = await own.readTests();
      events = { reached: violations.reached(), acted: violations.acted(), elsewhere: violations.elsewhere?.() ?? 0 };
    };
    return { ...own, read };
  };
  const run = await make(prepare).finally(() => {
    watched?.end().catch(() => undefined);
  });
  const measured = measuredRun(run, { ...tests, ...events, isObserved }, about);
  return { run, measured: { ...measured, hung: watched?.hung ?? new Set() } };
}

/** In the baseline run, the whole command counts as a test for requests outside of tests. It may carry violations there. */
function measuredRun(
  run: Run,
  found: TestsOnRecord & ViolationEvents & { isObserved: boolean },
  { whole, folder }: Omit<MeasuredSuite, 'runner'>,
): Omit<MeasuredRun, 'hung'> {
  const { tests, reached: noted, acted, elsewhere, records, before, isObserved } = found;
  const record = before.length === 0 ? run.record : joinPhases([...before, run.record]);
  const reached = certainSites(noted, (test) => (test === undefined ? record : records.get(test)));
  const ends = tests
    .filter(({ outcome }) => outcome !== 'skipped')
    .map((row) => endOf(row, { reached, records, folder }));
  const loose = reached.filter(({ test }) => test === undefined);
  const { failure, output, ms, began, trace } = run;
  const requests = countOf(record) + elsewhere;
  const recorded = new Map([...records, [whole, record]]);
  const hasPassed = failure === undefined && run.check === undefined;
  const end: TestResult = {
    key: whole,
    name: whole,
    isWhole: true,
    outcome: hasPassed ? 'passed' : 'failed',
    ms,
    error: output,
    requests,
    exclusive: true,
    sites: sitesOf(ends.length === 0 ? reached : loose),
  };
  return {
    tests: named(isObserved && ends.length > 0 && loose.length === 0 ? ends : [...ends, end]),
    isHung: failure?.kind === 'hang',
    hasPassed,
    isMissing: failure?.exitCode === NO_COMMAND,
    output: [output, run.check].filter(Boolean).join('\n'),
    ms,
    began,
    requests,
    trace,
    acted: new Set(acted.filter(({ times }) => times > 0).map(({ id }) => id)),
    refused: new Set(acted.filter(({ refused }) => refused > 0).map(({ id }) => id)),
    records: recorded,
  };
}

function refusedTests(armed: readonly ViolationOrder[], violations: ViolationSwitch): Set<string | undefined> {
  const refused = new Set(violations.acted().flatMap((violation) => (violation.refused > 0 ? [violation.id] : [])));
  return new Set(armed.filter(({ id }) => refused.has(id)).map(({ test }) => test));
}

function endOf(
  row: TestRow,
  { reached, records, folder }: Pick<ViolationEvents, 'reached'> & Pick<TestsOnRecord, 'records'> & { folder: string },
): TestResult {
  const { name, file, line, outcome, error, started, ended, exclusive } = row;
  const key = testKey(row);
  const record = records.get(key);
  return {
    key,
    name,
    isWhole: false,
    exclusive,
    line: line ?? undefined,
    file: file === null ? undefined : path.relative(folder, file),
    outcome: outcome === 'passed' || outcome === 'failed' ? outcome : 'open',
    ms: ended === null ? 0 : Date.parse(ended) - Date.parse(started),
    error: error ?? undefined,
    requests: record ? countOf(record) : 0,
    sites: sitesOf(reached.filter((each) => each.test === key)),
  };
}

function countOf({ requests }: RunRecord): number {
  return requests.filter(({ path: at }) => at.startsWith('/v1')).length;
}

function sitesOf(reached: readonly ReachedViolationRecord[]): ReachedSite[] {
  const sites = reached
    .filter(({ violation }) => violationRow(violation))
    .map(({ violation, site }): [string, ReachedSite] => [`${violation} ${site}`, { violation, site }]);
  return [...new Map(sites).values()];
}

function named(tests: readonly TestResult[]): TestResult[] {
  const count = (name: string) => tests.filter((each) => each.name === name).length;
  return tests.map((each) =>
    count(each.name) > 1 && each.file ? { ...each, name: `${each.file}: ${each.name}` } : each,
  );
}

interface ViolationEvents {
  reached: readonly ReachedViolationRecord[];
  acted: readonly ActedViolationRecord[];
  /** Requests to emulators that the suite itself starts. */
  elsewhere: number;
}

const POLL = /^GET \/v1\/(?:music|videos)\/generations\/[^/]+$/;

function isPoll({ method, path: at }: Pick<RunRecord['requests'][number], 'method' | 'path'>): boolean {
  return POLL.test(`${method} ${at}`);
}

/** Leaves out reads that depend on the speed of the machine: reads of jobs whose event a receiver has accepted. */
export function certainSites(
  reached: readonly ReachedViolationRecord[],
  recordOfTest: (test: string | undefined) => RunRecord | undefined,
): ReachedViolationRecord[] {
  return reached.filter(({ site, test }) => {
    const record = POLL.test(site) ? recordOfTest(test) : undefined;
    if (!record) return true;
    const reads = record.requests.filter(
      ({ path: at }) => path.posix.dirname(site) === `GET ${path.posix.dirname(at)}`,
    );
    return reads.some((read) => isPoll(read) && !isByPace(read, record));
  });
}

/** True if a job was read before the app accepted its event. */
function isByPace({ path: at, received_at: read }: RunRecord['requests'][number], { deliveries }: RunRecord): boolean {
  const taken = deliveries.filter(({ subject, url, response_status: status }) => {
    return subject === path.posix.basename(at) && status !== null && status < 300 && !url.includes(INBOX_PATH);
  });
  return taken.length > 0 && taken.every(({ attempted_at: sent }) => Date.parse(read) < Date.parse(sent ?? ''));
}
