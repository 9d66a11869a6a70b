import { isFromStart, runLimitMs } from './baseline-runs.ts';
import { CONFIRMING_RUNS, type Confirming, recordTried } from './confirm.ts';
import { type Faults, idOf } from './faults/fault-at.ts';
import { readSites } from './faults/read-sites.ts';
import type { Site } from './faults/site.ts';
import { addFinding } from './findings.ts';
import { foundIn, traceHeading } from './found.ts';
import { type Scenario, scenarioOf, sitedFaults, sitesUnder } from './plan.ts';
import { RunFault, type RunTrace } from './runner/runner.ts';
import { type Trial, tryAlone } from './trial.ts';

/**
 * Tries the faults of a token. A site that only another fault causes may be gone: then the finding does not occur. Throws
 * `RunFault` if the site of no fault occurs.
 */
export async function replay(c: Confirming, faults: Faults, onTrace?: (trace: RunTrace) => void): Promise<void> {
  const scenario = await sited(c, faults);
  if (scenario.faults.length === 0)
    throw new RunFault(`The site "${faults[0]?.site}" of the token does not occur in this run.`);
  let trial: Trial | undefined;
  // A failure that is known is gone only after it was looked for three times.
  for (let looks = 0; looks < CONFIRMING_RUNS && !trial?.failures.length && !c.signal.aborted; looks += 1) {
    trial = await tryAlone(c, scenario, looks === 0 ? {} : { turn: 'calm' });
  }
  // A run that was cut off shows nothing.
  if (!trial || c.signal.aborted) return;
  const [failure] = trial.failures;
  c.results.runs += 1;
  recordTried(c, scenario, failure === undefined);
  if (!failure) return;
  const found = foundIn(scenario, { run: trial.run, failure }, c.parts);
  addFinding(c.results.findings, found);
  if (!onTrace) return;
  const { run } = await tryAlone(c, scenario, { trace: traceHeading(found) });
  if (run.trace) onTrace(run.trace);
}

/** Those faults whose sites occur. Sites that a fault causes occur in the run of the other faults. */
async function sited({ baseline, run }: Confirming, faults: Faults): Promise<Scenario> {
  let sites: readonly Site[] = [...baseline.sites, ...sitesUnder(baseline.sites, faults)];
  let known = sitedFaults(faults, sites);
  while (known.length > 0 && known.length < faults.length) {
    const task = { faults: known, limitMs: runLimitMs(baseline), fromStart: isFromStart(known, baseline) };
    const { record } = await run(task);
    sites = [...sites, ...readSites(record, baseline.numbering).sites];
    const more = sitedFaults(faults, sites);
    if (idOf(more) === idOf(known)) break;
    known = more;
  }
  return scenarioOf(known);
}
