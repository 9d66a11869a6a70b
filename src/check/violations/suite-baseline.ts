import { RunFault, TOO_LITTLE } from '../runner/runner.ts';
import { siteKey } from '../token.ts';
import type { MeasuredRun, MeasureOrder, ReachedSite, RunSuite } from './measured-run.ts';
import type { Unit } from './plan.ts';

export interface SuiteBaseline {
  units: readonly Unit[];
  /** The fastest run, in milliseconds. */
  ms: number;
  runs: number;
}

export function suiteBaseline(runs: readonly MeasuredRun[]): SuiteBaseline {
  const [first, ...others] = runs;
  const units = (first?.units ?? []).map((end) => unitOf(end, others));
  return { units, ms: Math.min(...runs.map(({ ms }) => ms)), runs: runs.length };
}

/** Only sites that every run met, and the shortest time. */
function unitOf(end: MeasuredRun['units'][number], others: readonly MeasuredRun[]): Unit {
  const { unit } = end;
  const ends = others.flatMap((run) => run.units.find((each) => each.unit === unit) ?? []);
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
  const passed = new Set(run.units.flatMap(({ unit, outcome }) => (outcome === 'passed' ? [unit] : [])));
  return asking(baseline).flatMap(({ unit, name }) => (passed.has(unit) ? [name] : []));
}

/** Throws `RunFault` (3) if no test with requests fails while the service is dead. */
export function requireFailures(passedDead: readonly string[], baseline: SuiteBaseline): void {
  const { length } = asking(baseline);
  if (passedDead.length < length) return;
  const what = length === 1 ? 'The command passes' : `All ${length} tests that send requests pass`;
  throw new RunFault(`${what} even if the service is dead: the suite tests something else.`, TOO_LITTLE);
}

function asking({ units }: SuiteBaseline): Unit[] {
  return units.filter(({ requests }) => requests > 0);
}

/**
 * Limits under a violation, in milliseconds: for the command, twice its baseline time and 30 s; for a test, three times its
 * own and 10 s.
 */
export function limitsOf({ units, ms }: SuiteBaseline): Required<Pick<MeasureOrder, 'limitMs' | 'limitOf'>> {
  const known = new Map(units.map((each) => [each.unit, 3 * each.ms + 10_000]));
  return { limitMs: 2 * ms + 30_000, limitOf: (unit) => known.get(unit) ?? Number.POSITIVE_INFINITY };
}
