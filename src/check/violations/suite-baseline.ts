import { RunFault, TOO_LITTLE } from '../runner/runner.ts';
import { siteKey } from '../token.ts';
import type { MeasuredRun, MeasureOrder, ReachedSite, RunSuite } from './measured-run.ts';
import type { PlannedTest } from './plan.ts';

export interface SuiteBaseline {
  tests: readonly PlannedTest[];
  /** The fastest run, in milliseconds. */
  ms: number;
  runs: number;
}

export function suiteBaseline(runs: readonly MeasuredRun[]): SuiteBaseline {
  const [first, ...others] = runs;
  const tests = (first?.tests ?? []).map((end) => plannedTest(end, others));
  return { tests, ms: Math.min(...runs.map(({ ms }) => ms)), runs: runs.length };
}

/** Only sites that every run met, and the shortest time. */
function plannedTest(end: MeasuredRun['tests'][number], others: readonly MeasuredRun[]): PlannedTest {
  const ends = others.flatMap((run) => run.tests.find(({ key }) => key === end.key) ?? []);
  const exclusive = end.exclusive || ends.some((each) => each.exclusive);
  const keyOf = ({ violation, site }: ReachedSite) => siteKey(violation, site);
  const keys = ends.map(({ sites }) => new Set(sites.map(keyOf)));
  const sites = end.sites.filter((site) => keys.every((known) => known.has(keyOf(site))));
  const ms = Math.min(end.ms, ...ends.map((each) => each.ms));
  return { ...end, exclusive, ms, sites };
}

/** Runs the suite with the service dead. Returns the tests that make requests and still pass. */
export async function measureNegativeControl(runSuite: RunSuite, baseline: SuiteBaseline): Promise<string[]> {
  const run = await runSuite({ armed: [], isDead: true, ...limitsOf(baseline) });
  const passed = new Set(run.tests.flatMap(({ key, outcome }) => (outcome === 'passed' ? [key] : [])));
  return testsWithRequests(baseline).flatMap(({ key, name }) => (passed.has(key) ? [name] : []));
}

/** Throws `RunFault` (3) if no test with requests fails while the service is dead. */
export function requireFailures(passedDead: readonly string[], baseline: SuiteBaseline): void {
  const { length } = testsWithRequests(baseline);
  if (passedDead.length < length) return;
  const what = length === 1 ? 'The command passes' : `All ${length} tests that send requests pass`;
  throw new RunFault(`${what} even if the service is dead: the suite tests something else.`, TOO_LITTLE);
}

function testsWithRequests({ tests }: SuiteBaseline): PlannedTest[] {
  return tests.filter(({ requests }) => requests > 0);
}

/**
 * Limits under a violation, in milliseconds: for the command, twice its baseline time and 30 s; for a test, three times its
 * own and 10 s.
 */
export function limitsOf({ tests, ms }: SuiteBaseline): Required<Pick<MeasureOrder, 'limitMs' | 'limitOf'>> {
  const known = new Map(tests.map((each) => [each.key, 3 * each.ms + 10_000]));
  return { limitMs: 2 * ms + 30_000, limitOf: (test) => known.get(test) ?? Number.POSITIVE_INFINITY };
}
