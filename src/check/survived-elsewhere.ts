import type { Budget } from './budget.ts';
import { failsByPartOfText, readsThatShow } from './faults/expected-success.ts';
import { makeScenario, type Scenario } from './plan.ts';
import type { RunRecord } from './runner/run-record.ts';
import { type TrialContext, type TrialResult, tryScenarioAlone } from './trial.ts';

const MAX_OTHER_TESTS = 3;

/**
 * True if another run shows that the app survives the fault under which one test fails. A test that compares a text
 * before it looks for an error fails although its app detects the cut, and a test of an event alone fails although its
 * app also reads the job.
 */
export async function isSurvivedElsewhere(
  c: TrialContext & { budget: Budget },
  scenario: Scenario,
  failed: TrialResult,
): Promise<boolean> {
  const [fault, ...others] = scenario.faults;
  const isOfTest = failed.failures.every(({ kind }) => kind === 'exit');
  if (!fault || others.length > 0 || !isOfTest) return false;
  if (['cut:middle', 'cut:first'].includes(fault.fault) && failsByPartOfText(failed.run)) {
    const { run, failures } = await tryScenarioAlone(c, makeScenario([{ ...fault, fault: 'cut:before_done' }]));
    return failures.length === 0 && run.failure !== undefined;
  }
  if (fault.fault !== 'lost') return false;
  const sites = c.baseline.sites.filter(({ test }) => test !== fault.at.test);
  const alike = sites
    .map((at) => makeScenario([{ site: at.name, fault: 'lost', at }]))
    .filter(({ kind }) => kind === scenario.kind);
  for (const other of alike.slice(0, MAX_OTHER_TESTS)) {
    if (!c.budget.hasTime(1)) return false;
    const { run, failures } = await tryScenarioAlone(c, other);
    if (failures.length === 0 && readsJobOfLostEvent(run.record)) return true;
  }
  return false;
}

function readsJobOfLostEvent({ deliveries, jobs, requests }: RunRecord): boolean {
  const lost = deliveries.filter(({ fault }) => fault === 'drop').map(({ subject }) => subject);
  const ended = jobs.filter(({ id, status }) => lost.includes(id) && ['succeeded', 'failed'].includes(status));
  return ended.some((job) => readsThatShow(job, requests).length > 0);
}
