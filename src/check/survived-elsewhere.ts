import type { Budget } from './budget.ts';
import type { FaultWithSite } from './faults/arm-faults.ts';
import { failsByPartOfText, readsThatShow } from './faults/expected-success.ts';
import { makeScenario, type Scenario } from './plan.ts';
import type { RunRecord } from './runner/run-record.ts';
import { type TrialContext, type TrialResult, tryScenarioAlone } from './trial.ts';

const MAX_OTHER_TESTS = 3;

/**
 * True if another run shows that the app survives the fault under which one test fails. A test that compares a text
 * before it looks for an error fails although its app detects the cut, and a test of an event alone fails although its
 * app also reads the job. Undefined if no time is left for another run.
 */
export async function isSurvivedElsewhere(
  c: TrialContext & { budget: Budget },
  scenario: Scenario,
  failed: TrialResult,
): Promise<boolean | undefined> {
  const [fault, ...others] = scenario.faults;
  const isOfTest = failed.failures.every(({ kind }) => kind === 'exit');
  if (!fault || others.length > 0 || !isOfTest) return false;
  if (['cut:middle', 'cut:first'].includes(fault.fault) && failsByPartOfText(failed.run)) {
    if (!c.budget.hasTime(1)) return undefined;
    const { run, failures } = await tryScenarioAlone(c, makeScenario([{ ...fault, fault: 'cut:before_done' }]));
    return failures.length === 0 && run.failure !== undefined;
  }
  for (const other of fault.fault === 'lost' ? scenariosOfOtherTests(c, scenario, fault) : []) {
    if (!c.budget.hasTime(1)) return undefined;
    const { run, failures } = await tryScenarioAlone(c, other);
    if (failures.length === 0 && !run.failure && readsJobOfLostEvent(run.record)) return true;
  }
  return false;
}

/** The same fault in other tests. Tests that read jobs come first. */
function scenariosOfOtherTests(
  { baseline }: TrialContext,
  { kind }: Scenario,
  { fault, at }: FaultWithSite,
): Scenario[] {
  const readers = new Set(baseline.sites.filter((site) => site.kind === 'read').map(({ test }) => test));
  return baseline.sites
    .filter(({ test }) => test !== at.test)
    .toSorted((one, other) => Number(readers.has(other.test)) - Number(readers.has(one.test)))
    .map((site) => makeScenario([{ site: site.name, fault, at: site }]))
    .filter((each) => each.kind === kind)
    .slice(0, MAX_OTHER_TESTS);
}

function readsJobOfLostEvent({ deliveries, jobs, requests }: RunRecord): boolean {
  const lost = deliveries.filter(({ fault }) => fault === 'drop');
  return lost.some(({ subject, attempted_at: at }) => {
    const later = requests.filter(({ received_at }) => at === null || received_at > at);
    const own = jobs.filter(({ id, status }) => id === subject && ['succeeded', 'failed'].includes(status));
    return own.some((job) => readsThatShow(job, later).length > 0);
  });
}
