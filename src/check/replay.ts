import { isFromStart, runLimitMs } from './baseline-runs.ts';
import { CONFIRMING_RUNS, type Confirming, recordTried } from './confirm.ts';
import { type Faults, faultsId } from './faults/fault-at.ts';
import { readSites } from './faults/read-sites.ts';
import type { Site } from './faults/site.ts';
import { addFinding } from './findings.ts';
import { makeFound, traceHeading } from './found.ts';
import { type Scenario, scenarioOf, sitedFaults, sitesWithFailedJobs } from './plan.ts';
import { RunFault, type RunTrace } from './runner/runner.ts';
import { type Trial, tryAlone } from './trial.ts';

/**
 * Tries the faults of a token. If some sites do not occur, because only another fault causes them, the finding does not
 * occur. Throws `RunFault` if no site occurs.
 */
export async function replay(c: Confirming, faults: Faults, onTrace?: (trace: RunTrace) => void): Promise<void> {
  const scenario = await sited(c, faults);
  if (scenario.faults.length === 0)
    throw new RunFault(`The site "${faults[0]?.site}" of the token does not occur in this run.`);
  let trial: Trial | undefined;
  // Looks several times, because a known failure may not occur in every run.
  for (let looks = 0; looks < CONFIRMING_RUNS && !trial?.failures.length && !c.signal.aborted; looks += 1) {
    trial = await tryAlone(c, scenario, looks === 0 ? {} : { turn: 'calm' });
  }
  // Keeps no result of a run that was cut off.
  if (!trial || c.signal.aborted) return;
  const [failure] = trial.failures;
  c.results.runs += 1;
  recordTried(c, scenario, failure === undefined);
  if (!failure) return;
  const found = makeFound(scenario, { run: trial.run, failure }, c.parts);
  addFinding(c.results.findings, found);
  if (!onTrace) return;
  const { run } = await tryAlone(c, scenario, { trace: traceHeading(found) });
  if (run.trace) onTrace(run.trace);
}

/** The scenario with the faults whose sites occur. A run with the other faults shows sites that only they cause. */
async function sited({ baseline, run }: Confirming, faults: Faults): Promise<Scenario> {
  let sites: readonly Site[] = [...baseline.sites, ...sitesWithFailedJobs(baseline.sites, faults)];
  let known = sitedFaults(faults, sites);
  while (known.length > 0 && known.length < faults.length) {
    const task = { faults: known, limitMs: runLimitMs(baseline), fromStart: isFromStart(known, baseline) };
    const { record } = await run(task);
    sites = [...sites, ...readSites(record, baseline.numbering).sites];
    const more = sitedFaults(faults, sites);
    if (faultsId(more) === faultsId(known)) break;
    known = more;
  }
  return scenarioOf(known);
}
