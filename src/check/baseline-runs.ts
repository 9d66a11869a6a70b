import type { Clock } from '../base/clock/clock.ts';
import { keepLastLines } from '../base/output/output-line.ts';
import { countWithNoun } from '../base/text.ts';
import { qualifiedTestName } from '../engine/accounts/tests.ts';
import { compareBaselineRuns, type Difference, failedCommandError, unstableBaselineError } from './baseline-errors.ts';
import type { FaultRunner, FaultRunTask, FaultWithSite } from './faults/arm-faults.ts';
import { findSites } from './faults/find-sites.ts';
import { findFailures, verdictFindingKeys } from './faults/judge.ts';
import { type FingerprintsByName, matchesRequest, type Site, siteNamesFingerprint } from './faults/site.ts';
import { CannotRunError, COMMAND_NOT_FOUND_EXIT_CODE, type Run, TOO_LITTLE_TESTED_EXIT_CODE } from './runner/runner.ts';

export interface BaselineRuns {
  runs: readonly Run[];
  sites: readonly Site[];
  numbering: FingerprintsByName;
  /** The mean length of a run in milliseconds. */
  ms: number;
  /** The findings of the verdict on these runs, as `verdictFindingKey` writes them. */
  verdicts: readonly string[];
}

export interface BaselineInput {
  run: FaultRunner;
  clock: Clock;
  hasApp: boolean;
  hasAssert: boolean;
  /** The time limit of the first run in milliseconds. Less than 3000 counts as 3000, but 0 means no limit. */
  firstMs: number;
  jobs: number;
  warn(message: string): void;
  runOneAtATime(): void;
}

/**
 * The most pairs of consecutive runs that are compared until two runs are equal. On a busy machine, a client may poll once
 * more in one of them.
 */
const MAX_PAIRS = 5;
const [LEAST_MS, LONG_MS] = [3000, 10_000];
const WARM_MS = 3000;
const MAX_LINES = 20;
/**
 * The most runs that are made until one has the command fingerprint of the token. The numbers of parallel requests may
 * differ between runs.
 */
const MAX_FINGERPRINT_RUNS = 3;

const NO_REQUEST = `The command made no request to the emulator, so nothing can be measured.
Configure its client with SVC_BASE_URL and SVC_API_KEY, or OPENAI_BASE_URL and OPENAI_API_KEY, and without a mock.`;

const RESET = `The command resets the emulator or restores a snapshot. That also removes the faults and the record of the run, so no fault can be tried.
Give each test an account of its own instead, or start another emulator in the tests that need a reset (docs/testing.md). Only the cost can be compared: --only spend-unchanged.`;

/**
 * Throws `CannotRunError` if the command fails, sends no request or resets the emulator, or if its runs keep differing.
 */
export async function runBaseline(parts: BaselineInput): Promise<BaselineRuns> {
  const { clock, jobs } = parts;
  let early: Promise<Pair> | undefined;
  const cancel = clock.after(WARM_MS, () => {
    early = jobs === 1 ? undefined : pairAtOnce(parts, longestMs(parts)).catch((fault: CannotRunError) => ({ fault }));
  });
  const warm = await firstRun(parts, { faults: [], isDelayed: true, fromStart: true }).finally(cancel);
  const { baseline } = await pairAfter(warm, parts, await early);
  return { ...baseline, sites: withTraitsOfDelayed(baseline.sites, findSites(warm.record, baseline.numbering).sites) };
}

/**
 * Returns the tests with an account that pass although every request fails. If no reported test has an account, the
 * whole command counts as one test, or as none with `--assert`.
 */
export async function findTestKeysPassingWithoutService(
  parts: BaselineInput,
  { runs: [plain], ms }: BaselineRuns,
): Promise<string[]> {
  const { run, hasApp, hasAssert } = parts;
  const needed = new Set(plain?.record.tests?.filter((row) => row.account_ids.length > 0).map(qualifiedTestName));
  if (needed.size === 0 && hasAssert) return [];
  const dead = await run({ faults: [], isDead: true, turn: 'urgent', limitMs: ms + LEAST_MS });
  if (needed.size === 0)
    return findFailures(dead, [], { reference: undefined, hasApp }).length === 0 ? [WHOLE_COMMAND_TEST_NAME] : [];
  const passed = dead.record.tests?.filter((row) => row.outcome === 'passed') ?? [];
  return passed.map(qualifiedTestName).filter((test) => needed.has(test));
}

/**
 * Returns the first passing run. If `command` is given, the site names of the run must have this fingerprint, except
 * for the last of `MAX_FINGERPRINT_RUNS` runs.
 */
export async function runSingleBaseline(parts: BaselineInput, command?: string): Promise<BaselineRuns> {
  const made = [await firstRun(parts, { faults: [] })];
  const isAlike = ({ record }: Run) =>
    command === undefined || siteNamesFingerprint(findSites(record).sites) === command;
  for (;;) {
    const run = made.at(-1) as Run;
    // A failed first run is repeated: the first run is slow, so tests with timeouts may have failed only for that
    // reason.
    if (isGreen(run, parts) && (isAlike(run) || made.length === MAX_FINGERPRINT_RUNS)) {
      requireTraffic(run, command === undefined);
      return baselineOf([run]);
    }
    made.push(await nextRun(parts, made));
  }
}

/** The test name that means a whole command, if the command reports no tests. */
export const WHOLE_COMMAND_TEST_NAME = 'the command';

export function runLimitMs({ ms }: { ms: number }): number {
  return 10 * ms + 30_000;
}

type Pair = { baseline: BaselineRuns; difference?: Difference | undefined } | { fault: CannotRunError };

/**
 * Returns `early`, a pair that began during the first run, if its two runs are equal. Otherwise runs the command twice
 * in parallel, as scenarios run later. If one of these runs fails, or only their reads differ, runs it in sequence. If
 * it fails only in parallel, all later runs are one at a time.
 */
async function pairAfter(
  warm: Run,
  parts: BaselineInput,
  early: Pair | undefined,
): Promise<{ baseline: BaselineRuns }> {
  if (early && isEqual(early)) return early;
  const parallel = await pairAtOnce(parts, runLimitMs(warm));
  if (isEqual(parallel)) return parallel;
  const alone = await pairInARow(parts, warm);
  if ('fault' in parallel) {
    parts.runOneAtATime();
    parts.warn(
      `One of two runs at once failed, so one runs at a time: ${parallel.fault.message} Give each run its own port, files and database to run them in parallel.`,
    );
  }
  return alone;
}

function isEqual(pair: Pair): pair is { baseline: BaselineRuns } {
  return 'baseline' in pair && pair.difference === undefined;
}

/**
 * Throws `CannotRunError` if a run sends no request to the service or resets the emulator, or if the runs differ in
 * anything but reads.
 */
async function pairAtOnce(parts: BaselineInput, limitMs: number | undefined): Promise<Pair> {
  const task = { faults: [], limitMs, turn: 'waiting' as const };
  const [first, second] = await Promise.all([parts.run(task), parts.run(task)]);
  for (const run of [first, second]) {
    const [failure] = failuresOf(run, parts);
    if (failure) return { fault: new CannotRunError(failure.message) };
  }
  return comparedPair(first, second);
}

async function pairInARow(parts: BaselineInput, warm: Run): Promise<{ baseline: BaselineRuns }> {
  const made = [warm, await nextRun(parts, [warm])];
  for (;;) {
    const [first, second] = [made.at(-1) as Run, await nextRun(parts, made)];
    made.push(second);
    const { baseline, difference } = comparedPair(first, second);
    if (!difference) return { baseline };
    if (made.length > MAX_PAIRS + 1) throw new CannotRunError(difference.message);
  }
}

function comparedPair(first: Run, second: Run): { baseline: BaselineRuns; difference: Difference | undefined } {
  for (const run of [first, second]) requireTraffic(run);
  const baseline = baselineOf([first, second]);
  const again = findSites(second.record, baseline.numbering);
  const difference = compareBaselineRuns({ run: first, sites: baseline.sites }, { run: second, sites: again.sites });
  if (difference && difference.kind !== 'read') throw new CannotRunError(difference.message);
  return { baseline, difference };
}

function baselineOf(runs: readonly [Run, ...Run[]]): BaselineRuns {
  const ms = Math.round(runs.reduce((sum, run) => sum + run.ms, 0) / runs.length);
  return { runs, ...findSites(runs[0].record), ms, verdicts: verdictFindingKeys(runs) };
}

async function nextRun(parts: BaselineInput, earlier: readonly Run[]): Promise<Run> {
  const run = await parts.run({ faults: [], limitMs: runLimitMs(earlier.at(-1) ?? { ms: 0 }) });
  const failures = failuresOf(run, parts);
  if (failures.length === 0) return run;
  const make = earlier.some((each) => isGreen(each, parts)) ? unstableBaselineError : failedCommandError;
  throw make(run, failures);
}

async function firstRun(parts: BaselineInput, task: FaultRunTask): Promise<Run> {
  const limitMs = longestMs(parts);
  const limit = limitMs === undefined ? '' : `, for at most ${limitMs / 1000} s (--budget)`;
  const cancel = parts.clock.after(LONG_MS, () =>
    parts.warn(`The first run of your command has lasted ${LONG_MS / 1000} s. check waits for its end${limit}.`),
  );
  const run = await parts.run({ ...task, limitMs }).finally(cancel);
  if (run.failure?.exitCode === COMMAND_NOT_FOUND_EXIT_CODE) throw failedCommandError(run, []);
  if (run.failure?.kind !== 'hang') return run;
  const within = countWithNoun((limitMs ?? 0) / 1000, 'second');
  const said = run.output.trim() === '' ? '' : `\n${keepLastLines(run.output, MAX_LINES)}`;
  throw new CannotRunError(
    `The first run of your command did not end within ${within}. Give a longer --budget, or make the command end by itself.${said}`,
  );
}

function longestMs({ firstMs }: BaselineInput): number | undefined {
  return firstMs === 0 ? undefined : Math.max(firstMs, LEAST_MS);
}

/**
 * Leaves out findings of the verdict. They do not fail a baseline run, because scenario runs are compared with them.
 */
function failuresOf(run: Run, { hasApp }: BaselineInput) {
  return findFailures(run, [], { reference: undefined, hasApp }).filter(({ kind }) => kind !== 'verdict');
}

function isGreen(run: Run, parts: BaselineInput): boolean {
  return failuresOf(run, parts).length === 0;
}

/**
 * Throws `CannotRunError` for a run without requests or with a reset. If only the cost is compared, a reset is allowed,
 * because the cost is counted across resets.
 */
function requireTraffic({ record, isReset }: Run, isCostAlone = false): void {
  if (isReset && isCostAlone) return;
  if (isReset) throw new CannotRunError(RESET, TOO_LITTLE_TESTED_EXIT_CODE);
  if (!record.requests.some(({ path }) => path.startsWith('/v1')))
    throw new CannotRunError(NO_REQUEST, TOO_LITTLE_TESTED_EXIT_CODE);
}

/**
 * Takes the trait `overlaps` from `delayed`, the run with delayed responses, because in other runs it depends on the
 * machine. The trait `left` is true if either run has it.
 */
function withTraitsOfDelayed(sites: readonly Site[], delayed: readonly Site[]): Site[] {
  const seen = new Map(delayed.map(({ name, traits }) => [name, traits]));
  return sites.map(({ traits, ...site }) => {
    const { overlaps = false, left = traits.left ?? false } = seen.get(site.name) ?? {};
    return { ...site, traits: { ...traits, overlaps, left } };
  });
}

export function affectsAppStartup(faults: readonly FaultWithSite[], { runs }: BaselineRuns): boolean {
  const atStart = runs.flatMap(({ record, began }) =>
    record.requests.filter(({ received_at: at }) => Date.parse(at) < began),
  );
  return faults.some(({ at }) => atStart.some((request) => matchesRequest(at.match, request)));
}
