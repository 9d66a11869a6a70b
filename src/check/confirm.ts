import { firstErrorLine } from '../base/output/output-line.ts';
import { noteDisturbed } from './batch.ts';
import type { Budget } from './budget.ts';
import type { CheckId } from './checks.ts';
import { addExpected, expectedSuccess } from './faults/expected-success.ts';
import { isUnavoidableLoss } from './faults/judge.ts';
import { addFinding, sameCause } from './findings.ts';
import { type FailedRun, type Found, type FoundParts, makeFound } from './found.ts';
import { type Scenario, scenarioOf } from './plan.ts';
import type { CheckResults } from './results.ts';
import type { Run } from './runner/runner.ts';
import { type Trial, type Trials, tryAlone } from './trial.ts';

/** How many runs confirm a finding, or show that it is gone. Some failures need one of several orders of requests. */
export const CONFIRMING_RUNS = 3;

export interface Suspect {
  scenario: Scenario;
  failed: FailedRun;
  check: CheckId;
  near: Nearness;
}

/** Where a scenario failed: in a run of its own, next to other scenarios, or in a run with selected tests only. */
export type Nearness = 'alone' | 'others' | 'selected';

export interface Confirming extends Trials {
  /** How many scenarios are tried, or run again, at the same time. */
  atOnce: number;
  budget: Budget;
  signal: AbortSignal;
  parts: FoundParts;
  results: CheckResults;
  /** Whether findings of this check are reported. */
  reports(check: CheckId): boolean;
  onSuspect?: ((news: SuspectNews, scenario: Scenario, check: CheckId) => void) | undefined;
  onConfirmed?: ((found: Found) => void) | undefined;
}

/** What happened to a failure: it is run again, did not fail again or has another reason, or belongs to a known finding. */
export type SuspectNews = 'failed' | 'dismissed' | 'joined';

/** Runs a failing scenario alone until it has failed three times, which is a finding. */
export async function confirmFailure(c: Confirming, suspect: Suspect): Promise<void> {
  const { scenario, failed, near, check } = suspect;
  const { results, parts } = c;
  if (!c.reports(check) || sameCause(results.findings, makeFound(scenario, failed, parts)))
    return recordTried(c, scenario, false);
  if (!c.budget.hasTime(1)) return recordUnconfirmed(c, suspect);
  c.onSuspect?.('failed', scenario, check);
  const needed = near === 'alone' ? CONFIRMING_RUNS - 1 : CONFIRMING_RUNS;
  const trials = await attempts(c, scenario, needed);
  if (c.signal.aborted || trials.length < needed) return recordUnconfirmed(c, suspect);
  const failing = trials.filter(({ failures }) => failures.length > 0);
  if (failing.length === 0 && near !== 'alone') return acquit(c, suspect, trials);
  recordTried(c, scenario, false);
  if (failing.length < needed) {
    results.unstable.push(makeFound(scenario, failed, parts));
    c.onSuspect?.('dismissed', scenario, check);
    return;
  }
  const [{ run, failures } = { run: failed.run, failures: [] }] = failing;
  const found = makeFound(scenario, near === 'alone' ? failed : { run, failure: failures[0] ?? failed.failure }, parts);
  // A failed test is no finding about the pair if a single fault fails it too. Other harm needed both faults.
  if (found.failure.kind === 'exit' && (await isExplained(c, scenario, run)))
    return c.onSuspect?.('dismissed', scenario, check);
  if (addFinding(results.findings, found) === found) c.onConfirmed?.(found);
  else c.onSuspect?.('joined', scenario, check);
}

/** Drops a failure that did not recur alone: other scenarios of its run caused it, or it needs tests that were left out. */
function acquit(c: Confirming, { scenario, near, failed, check }: Suspect, [trial]: readonly Trial[]): void {
  c.onSuspect?.('dismissed', scenario, check);
  if (near === 'selected') c.suite.isSelectable = false;
  else noteDisturbed(scenario, c.suite);
  recordPassed(c, scenario, trial?.run ?? failed.run);
}

/** Runs a scenario alone `needed` times; fewer times if the time is over. */
async function attempts(c: Confirming, scenario: Scenario, needed: number): Promise<Trial[]> {
  const attempt = () => tryAlone(c, scenario, { turn: 'urgent' });
  try {
    if (c.atOnce > 1) return await Promise.all(Array.from({ length: needed }, attempt));
    const trials: Trial[] = [];
    while (trials.length < needed && c.budget.hasTime(1)) trials.push(await attempt());
    return trials;
  } catch (error) {
    if (!c.signal.aborted) throw error;
    return [];
  }
}

/** Whether the faults of a pair fail the same tests one by one, even if that is not a finding. */
async function isExplained(c: Confirming, { faults }: Scenario, run: Run): Promise<boolean> {
  const failed = failuresOf(run);
  if (faults.length < 2 || failed.length === 0) return false;
  const alone: string[] = [];
  for (const fault of faults) alone.push(...failuresOf((await tryAlone(c, scenarioOf([fault]))).run));
  return failed.every((each) => alone.includes(each));
}

/** The names of the failed tests, or else the assertion that a command printed. */
function failuresOf({ record, output, failure }: Run): string[] {
  if (failure?.kind !== 'exit') return [];
  const named = (record.failedTests ?? []).map(({ name }) => name);
  return named.length > 0 ? named : [firstErrorLine(output)];
}

/** Reports a failure as unconfirmed, because the time is over. */
export function recordUnconfirmed(c: Confirming, { scenario, failed }: Suspect): void {
  recordTried(c, scenario, false);
  c.results.unconfirmed.push(makeFound(scenario, failed, c.parts));
}

export function recordPassed(c: Confirming, scenario: Scenario, run: Run): void {
  recordTried(c, scenario, true);
  const { faults } = scenario;
  const tests = faults.map(({ at }) => at.test);
  const isLost = isUnavoidableLoss(faults, run.record);
  const expected = expectedSuccess(run, faults, { tests, isLost, mask: c.parts.mask });
  if (expected) addExpected(c.results.expected, expected);
}

export function recordTried({ results }: Confirming, scenario: Scenario, isGood: boolean): void {
  results.tried.push({ scenario, isGood });
}
