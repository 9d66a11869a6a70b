import { stripVTControlCharacters } from 'node:util';
import { NO_COMMAND, RunFault, TOO_LITTLE } from '../runner/runner.ts';
import { failedLines, UnevenRuns } from '../runner/uneven-runs.ts';
import { CACHED } from './judge-attempt.ts';
import type { MeasuredRun, MeasureOrder, RunSuite } from './measured-run.ts';
import { pairKey, type Unit } from './plan.ts';

/** What the suite is where nothing is changed. */
export interface BaselineRuns {
  units: readonly Unit[];
  /** How long the fastest run took, in milliseconds. */
  ms: number;
  /** How often it was run. */
  runs: number;
}

/** Of a run that fails: characters of what the command printed last. */
const MOST_PRINTED = 4000;

/** Of a command that made no request. */
export const NO_REQUEST = `The command made no request to the emulator, so nothing can be measured.
Let its client use SVC_BASE_URL and SVC_API_KEY, or OPENAI_BASE_URL and OPENAI_API_KEY, from the environment, and no mock.`;

const WHY = 'The command did not pass.';

/** How often the suite is run with nothing changed, as the first run has shown it. */
export interface BaselineOrder {
  times: number;
  /** Runs at the same time. */
  jobsFor(units: readonly Unit[]): number;
  heard(): void;
}

/** Makes the baseline runs of a suite. Throws `RunFault`: 2 where it does not pass, 3 where it never reaches the emulator. */
export async function measureBaseline(
  runSuite: RunSuite,
  { times, jobsFor, heard }: BaselineOrder,
): Promise<BaselineRuns> {
  let made = 0;
  const runOnce = async () => {
    const run = await runSuite({ armed: [] });
    heard();
    if (!run.hasPassed && made > 0) throw new UnevenRuns({ tests: failedIn(run), output: run.output, why: WHY });
    if (!run.hasPassed) throw new RunFault(redText(run), run.isMissing ? NO_COMMAND : undefined);
    if (run.requests === 0) throw new RunFault(made === 0 ? NO_REQUEST : CACHED, TOO_LITTLE);
    made += 1;
    return run;
  };
  const first = await runOnce();
  const units = first.units.map((end) => unitOf(end, []));
  const others: MeasuredRun[] = [];
  const left = Array.from({ length: times - 1 });
  await eachAtOnce(left, jobsFor(units), async () => {
    others.push(await runOnce());
  });
  const ms = Math.min(first.ms, ...others.map((run) => run.ms));
  return { units: first.units.map((end) => unitOf(end, others)), ms, runs: made };
}

/** What a command is shown with that fails in every baseline run. */
export function redText(run: MeasuredRun): string {
  const failed = ['The command fails by itself: fix that first.', ...failedLines(failedIn(run))];
  const printed = stripVTControlCharacters(run.output).trimEnd().slice(-MOST_PRINTED);
  return [...failed, 'It printed:', printed].join('\n');
}

function failedIn({ units }: MeasuredRun): MeasuredRun['units'] {
  return units.filter(({ outcome, isWhole }) => outcome === 'failed' && !isWhole);
}

/** The sites that all runs have met, and the shortest time. */
function unitOf(end: MeasuredRun['units'][number], others: readonly MeasuredRun[]): Unit {
  const { unit } = end;
  const ends = others.flatMap((run) => run.units.find((each) => each.unit === unit) ?? []);
  const exclusive = end.exclusive || ends.some((each) => each.exclusive);
  const keys = ends.map(({ sites }) => new Set(sites.map(pairKey)));
  const sites = end.sites.filter((site) => keys.every((known) => known.has(pairKey(site))));
  const ms = Math.min(end.ms, ...ends.map((each) => each.ms));
  return { ...end, exclusive, ms, sites };
}

/** Runs the suite with the service dead; resolves with the tests that ask for something and pass all the same. */
export async function measureNegativeControl(runSuite: RunSuite, baselineRuns: BaselineRuns): Promise<string[]> {
  const run = await runSuite({ armed: [], isDead: true, ...limitsOf(baselineRuns) });
  const passed = new Set(run.units.flatMap(({ unit, outcome }) => (outcome === 'passed' ? [unit] : [])));
  return asking(baselineRuns).flatMap(({ unit, name }) => (passed.has(unit) ? [name] : []));
}

/** Throws `RunFault` (3) where no unit that asks for anything fails with the service dead. */
export function requireFailures(passedDead: readonly string[], baselineRuns: BaselineRuns): void {
  const { length } = asking(baselineRuns);
  if (passedDead.length < length) return;
  const what = length === 1 ? 'The command passes' : `All ${length} tests that ask the service pass`;
  throw new RunFault(`${what} with the service dead too: the suite tests something else.`, TOO_LITTLE);
}

function asking({ units }: BaselineRuns): Unit[] {
  return units.filter(({ requests }) => requests > 0);
}

/**
 * How long a run may take under a lie, in milliseconds: the command twice its time in the baseline run, and 30 s; a unit
 * three times its own, and 10 s.
 */
export function limitsOf({ units, ms }: BaselineRuns): Required<Pick<MeasureOrder, 'limitMs' | 'limitOf'>> {
  const known = new Map(units.map((each) => [each.unit, 3 * each.ms + 10_000]));
  return { limitMs: 2 * ms + 30_000, limitOf: (unit) => known.get(unit) ?? Number.POSITIVE_INFINITY };
}

/** Does the work on every item, in order, on as many at the same time as `atOnce`. Rejects with the first failure. */
export async function eachAtOnce<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
