import { comparableErrorLine } from '../base/output/output-line.ts';
import { recordInterferenceByFile } from './batch.ts';
import type { Budget } from './budget.ts';
import type { CheckId } from './checks.ts';
import {
  type FailedRun,
  type FailureFinding,
  type FailureFindingInput,
  makeFailureFinding,
} from './failure-finding.ts';
import {
  addTestUnlessFaultsListed,
  failsOnlyByExpectingSuccess,
  toTestExpectingSuccess,
} from './faults/expected-success.ts';
import type { FailureKind } from './faults/failed-check.ts';
import { hasUnavoidableLoss, netCreditsSpent } from './faults/judge.ts';
import { addOrJoinFinding, findSameCauseFinding } from './findings.ts';
import { makeScenario, type Scenario } from './plan.ts';
import type { CheckResults, TriedScenario } from './results.ts';
import type { Run } from './runner/runner.ts';
import { isSurvivedElsewhere } from './survived-elsewhere.ts';
import { type TrialContext, type TrialResult, tryScenarioAlone } from './trial.ts';

/**
 * How many times a failing scenario must fail when it is run alone, because some failures need a certain order of
 * requests.
 */
export const CONFIRMATION_RUN_COUNT = 3;

export interface SuspectedFailure {
  scenario: Scenario;
  failed: FailedRun;
  check: CheckId;
  near: RunIsolation;
}

export type RunIsolation = 'alone' | 'others' | 'selected';

export interface ConfirmationContext extends TrialContext {
  atOnce: number;
  budget: Budget;
  signal: AbortSignal;
  parts: FailureFindingInput;
  results: CheckResults;
  reports(check: CheckId): boolean;
  onSuspect?: ((news: SuspectStatus, scenario: Scenario, check: CheckId) => void) | undefined;
  onConfirmed?: ((found: FailureFinding) => void) | undefined;
}

export type SuspectStatus = 'failed' | 'dismissed' | 'survived' | 'joined';

/** A failure becomes a finding only if the scenario, run alone, fails `CONFIRMATION_RUN_COUNT` times. */
export async function confirmFailure(c: ConfirmationContext, suspect: SuspectedFailure): Promise<void> {
  const { scenario, failed, near, check } = suspect;
  const { results, parts } = c;
  if (!c.reports(check) || findSameCauseFinding(results.findings, makeFailureFinding(scenario, failed, parts)))
    return recordTriedScenario(c, scenario, 'failed');
  if (!c.budget.hasTime(1)) return recordUnconfirmedFailure(c, suspect);
  c.onSuspect?.('failed', scenario, check);
  const needed = near === 'alone' ? CONFIRMATION_RUN_COUNT - 1 : CONFIRMATION_RUN_COUNT;
  const trials = await attempts(c, scenario, needed);
  if (c.signal.aborted || trials.length < needed) return recordUnconfirmedFailure(c, suspect);
  const failing = trials.filter(({ failures }) => failures.length > 0);
  if (failing.length === 0 && near !== 'alone') return acquit(c, suspect, trials);
  if (failing.length < needed) {
    recordTriedScenario(c, scenario, 'failed');
    results.unstable.push(makeFailureFinding(scenario, failed, parts));
    c.onSuspect?.('dismissed', scenario, check);
    return;
  }
  const [{ run, failures } = { run: failed.run, failures: [failed.failure] }] = failing;
  const isSurvived = await unlessAborted(c, isSurvivedElsewhere(c, scenario, { run, failures }));
  if (isSurvived === undefined) return recordUnconfirmedFailure(c, suspect);
  if (isSurvived) {
    recordSurvivedScenario(c, scenario, run);
    c.onSuspect?.('survived', scenario, check);
    return;
  }
  await addConfirmedFailure(c, suspect, { run, failure: failures[0] ?? failed.failure });
}

async function addConfirmedFailure(
  c: ConfirmationContext,
  suspect: SuspectedFailure,
  confirmed: FailedRun,
): Promise<void> {
  const { scenario, near, failed, check } = suspect;
  const found = makeFailureFinding(scenario, near === 'alone' ? failed : confirmed, c.parts);
  // Dismisses a pair of faults if its failed tests also fail, or its cost also occurs, under one of the faults alone.
  const isOfOne = await unlessAborted(c, isExplained(c, scenario, { run: confirmed.run, kind: found.failure.kind }));
  if (isOfOne === undefined) return recordUnconfirmedFailure(c, suspect);
  recordTriedScenario(c, scenario, 'failed');
  if (isOfOne) c.onSuspect?.('dismissed', scenario, check);
  else if (addOrJoinFinding(c.results.findings, found) === found) c.onConfirmed?.(found);
  else c.onSuspect?.('joined', scenario, check);
}

/** Undefined if the search was aborted and `work` rejects for this reason. */
export async function unlessAborted<T>({ signal }: ConfirmationContext, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!signal.aborted) throw error;
    return undefined;
  }
}

function acquit(
  c: ConfirmationContext,
  { scenario, near, failed, check }: SuspectedFailure,
  [trial]: readonly TrialResult[],
): void {
  c.onSuspect?.('dismissed', scenario, check);
  if (near === 'selected') c.suite.isSelectable = false;
  else recordInterferenceByFile(scenario, c.suite);
  recordPassedScenario(c, scenario, trial?.run ?? failed.run);
}

async function attempts(c: ConfirmationContext, scenario: Scenario, needed: number): Promise<TrialResult[]> {
  const attempt = () => tryScenarioAlone(c, scenario, { turn: 'urgent' });
  const inTurn = async () => {
    const trials: TrialResult[] = [];
    while (trials.length < needed && c.budget.hasTime(1)) trials.push(await attempt());
    return trials;
  };
  const work = c.atOnce > 1 ? Promise.all(Array.from({ length: needed }, attempt)) : inTurn();
  return (await unlessAborted(c, work)) ?? [];
}

/** True if the faults of a pair, run one at a time, cause the same failures, even if these are not findings. */
async function isExplained(
  c: ConfirmationContext,
  { faults }: Scenario,
  { run, kind }: { run: Run; kind: FailureKind },
): Promise<boolean> {
  const failed = kind === 'exit' ? failuresOf(run) : [];
  if (faults.length < 2 || (failed.length === 0 && kind !== 'spend')) return false;
  const alone: Run[] = [];
  for (const fault of faults) alone.push((await tryScenarioAlone(c, makeScenario([fault]))).run);
  if (kind === 'spend') return alone.some(({ record }) => netCreditsSpent(record) === netCreditsSpent(run.record));
  return failed.every((each) => alone.some((half) => failuresOf(half).includes(each)));
}

function failuresOf({ record, output, failure }: Run): string[] {
  if (failure?.kind !== 'exit') return [];
  const named = (record.failedTests ?? []).map(({ name }) => name);
  return named.length > 0 ? named : [comparableErrorLine(output)];
}

export function recordUnconfirmedFailure(c: ConfirmationContext, { scenario, failed }: SuspectedFailure): void {
  recordTriedScenario(c, scenario, 'failed');
  c.results.unconfirmed.push(makeFailureFinding(scenario, failed, c.parts));
}

export function recordPassedScenario(c: ConfirmationContext, scenario: Scenario, run: Run): void {
  const isLost = hasUnavoidableLoss(scenario.faults, run.record);
  if (failsOnlyByExpectingSuccess(run, scenario.faults, isLost)) addTestExpectingSuccess(c, scenario, run);
  recordTriedScenario(c, scenario, outcomeOfPassedRun(scenario, run));
}

/** Records a scenario that the app survives although a test fails. */
export function recordSurvivedScenario(c: ConfirmationContext, scenario: Scenario, run: Run): void {
  addTestExpectingSuccess(c, scenario, run);
  recordTriedScenario(c, scenario, 'passed');
}

function addTestExpectingSuccess({ parts, results }: ConfirmationContext, { faults }: Scenario, run: Run): void {
  const tests = faults.map(({ at }) => at.test);
  addTestUnlessFaultsListed(results.expected, toTestExpectingSuccess(run, faults, { tests, mask: parts.mask }));
}

export function outcomeOfPassedRun({ faults }: Scenario, { unmet }: Run): TriedScenario['outcome'] {
  return faults.some((fault) => unmet.includes(fault)) ? 'unmet' : 'passed';
}

export function recordTriedScenario(
  { results }: ConfirmationContext,
  scenario: Scenario,
  outcome: TriedScenario['outcome'],
): void {
  results.tried.push({ scenario, outcome });
}
