import { affectsAppStartup, runLimitMs } from './baseline-runs.ts';
import {
  CONFIRMATION_RUN_COUNT,
  type ConfirmationContext,
  outcomeOfPassedRun,
  recordSurvivedScenario,
  recordTriedScenario,
  unlessAborted,
} from './confirm.ts';
import { makeFailureFinding, makeTraceHeading } from './failure-finding.ts';
import { makeScenarioId, type ScenarioFaults } from './faults/fault-at.ts';
import { findSites } from './faults/find-sites.ts';
import type { Site } from './faults/site.ts';
import { addOrJoinFinding } from './findings.ts';
import { adjustSitesForFailedJobs, makeScenario, resolveFaultSites, type Scenario } from './plan.ts';
import { CannotRunError, type RunTask, type RunTraceResult } from './runner/runner.ts';
import { isSurvivedElsewhere } from './survived-elsewhere.ts';
import { type TrialResult, tryScenarioAlone } from './trial.ts';

/**
 * Tries the faults of a token, without those whose sites do not occur. Throws `CannotRunError` if no site occurs.
 * If a run fails, further runs write traces until one of them fails too, and `onTrace` gets the trace of the last.
 */
export async function replayFaults(
  c: ConfirmationContext,
  faults: ScenarioFaults,
  onTrace?: (trace: RunTraceResult) => void,
): Promise<void> {
  const scenario = await sited(c, faults);
  if (scenario.faults.length === 0)
    throw new CannotRunError(`The site "${faults[0]?.site}" of the token does not occur in this run.`);
  const trial = await tryUntilFailure(c, scenario, {});
  if (!trial || c.signal.aborted) return;
  const [failure] = trial.failures;
  if (failure && (await unlessAborted(c, isSurvivedElsewhere(c, scenario, trial))))
    return recordSurvivedScenario(c, scenario, trial.run);
  recordTriedScenario(c, scenario, failure ? 'failed' : outcomeOfPassedRun(scenario, trial.run));
  if (!failure) return;
  const found = makeFailureFinding(scenario, { run: trial.run, failure }, c.parts);
  addOrJoinFinding(c.results.findings, found);
  if (!onTrace) return;
  const traced = await tryUntilFailure(c, scenario, { trace: makeTraceHeading(found) });
  if (traced?.run.trace) onTrace(traced.run.trace);
}

/** Tries several times, because a known failure may not occur in every run. Returns the last trial. */
async function tryUntilFailure(
  c: ConfirmationContext,
  scenario: Scenario,
  task: Pick<RunTask, 'trace'>,
): Promise<TrialResult | undefined> {
  let trial: TrialResult | undefined;
  for (let looks = 0; looks < CONFIRMATION_RUN_COUNT && !trial?.failures.length && !c.signal.aborted; looks += 1) {
    trial = await tryScenarioAlone(c, scenario, looks === 0 ? task : { ...task, turn: 'calm' });
  }
  return trial;
}

/**
 * Finds the sites of the faults. Some sites occur only under another fault, so runs with the faults whose sites are
 * known reveal them.
 */
async function sited({ baseline, run }: ConfirmationContext, faults: ScenarioFaults): Promise<Scenario> {
  let sites: readonly Site[] = [...baseline.sites, ...adjustSitesForFailedJobs(baseline.sites, faults)];
  let known = resolveFaultSites(faults, sites);
  while (known.length > 0 && known.length < faults.length) {
    const task = { faults: known, limitMs: runLimitMs(baseline), fromStart: affectsAppStartup(known, baseline) };
    const { record } = await run(task);
    sites = [...sites, ...findSites(record, baseline.numbering).sites];
    const more = resolveFaultSites(faults, sites);
    if (makeScenarioId(more) === makeScenarioId(known)) break;
    known = more;
  }
  return makeScenario(known);
}
