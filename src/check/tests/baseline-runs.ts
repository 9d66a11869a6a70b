import { stripVTControlCharacters } from 'node:util';
import { placeText } from '../../base/text.ts';
import { NO_COMMAND, RunFault, TOO_LITTLE } from '../runner/runner.ts';
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
  /** The first run: what is on record of it is compared with that of a lie. */
  run: MeasuredRun;
}

/** The suite with the service dead. */
export interface NegativeControl {
  requests: number;
  passed_dead: string[];
}

/** Of a run that fails: tests, lines of what one failed with, and characters of what the command printed last. */
const [MOST_TESTS, MOST_LINES, MOST_PRINTED] = [5, 12, 4000];

/** Of a command that made no request. */
export const NO_REQUEST = `The command made no request to the emulator, so nothing can be measured.
Let its client use SVC_BASE_URL and SVC_API_KEY, or OPENAI_BASE_URL and OPENAI_API_KEY, from the environment, and no mock.`;

/** How often the suite is run with nothing changed, as the first run has shown it. */
export interface BaselineOrder {
  timesFor(units: readonly Unit[]): number;
  /** Runs at the same time. */
  jobsFor(units: readonly Unit[]): number;
  heard(): void;
}

/** Makes the baseline runs of a suite. Throws `RunFault`: 2 where it does not pass, 3 where it never reaches the emulator. */
export async function measureBaseline(
  runSuite: RunSuite,
  { timesFor, jobsFor, heard }: BaselineOrder,
): Promise<BaselineRuns> {
  let made = 0;
  const runOnce = async () => {
    const run = await runSuite({ armed: [] });
    heard();
    if (!run.hasPassed) throw new RunFault(redText(run, made), run.isMissing ? NO_COMMAND : undefined);
    if (run.requests === 0) throw new RunFault(made === 0 ? NO_REQUEST : CACHED, TOO_LITTLE);
    made += 1;
    return run;
  };
  const first = await runOnce();
  const units = first.units.map((end) => unitOf(end, first, []));
  const others: MeasuredRun[] = [];
  const left = Array.from({ length: timesFor(units) - 1 });
  await eachAtOnce(left, jobsFor(units), async () => {
    others.push(await runOnce());
  });
  const ms = Math.min(first.ms, ...others.map((run) => run.ms));
  return { units: first.units.map((end) => unitOf(end, first, others)), ms, runs: made, run: first };
}

/** What a run that fails with nothing changed is shown with. */
export function redText({ output, units }: MeasuredRun, before: number): string {
  const turn = before === 0 ? '' : `, in baseline run ${before + 1} after ${before} that passed`;
  const failed = units.filter(({ outcome, isWhole }) => outcome === 'failed' && !isWhole);
  const tests = failed.slice(0, MOST_TESTS).map(failedText);
  const names = tests.length === 0 ? '' : `\n${tests.join('\n')}`;
  return `The command fails by itself${turn}: mend that first.${names}\nIt printed:\n${stripVTControlCharacters(output).trimEnd().slice(-MOST_PRINTED)}`;
}

/** A test with its place and its assertion. */
function failedText({ name, file, line, error }: MeasuredRun['units'][number]): string {
  const lines = (error ?? '').trim().split('\n').slice(0, MOST_LINES);
  return [`  FAILED ${name}${placeText({ file, line })}`, ...lines.filter(Boolean).map((each) => `    ${each}`)].join(
    '\n',
  );
}

/** The sites that all runs have met, and the shortest time. */
function unitOf(end: MeasuredRun['units'][number], first: MeasuredRun, others: readonly MeasuredRun[]): Unit {
  const { unit } = end;
  const ends = others.flatMap((run) => run.units.find((each) => each.unit === unit) ?? []);
  const exclusive = end.exclusive || ends.some((each) => each.exclusive);
  const keys = ends.map(({ sites }) => new Set(sites.map(pairKey)));
  const sites = end.sites.filter((site) => keys.every((known) => known.has(pairKey(site))));
  const ms = Math.min(end.ms, ...ends.map((each) => each.ms));
  const seen = [first, ...others].flatMap((run) => run.seen.get(unit) ?? []);
  return { ...end, exclusive, ms, sites, seen };
}

/** Runs the suite with the service dead. */
export async function measureNegativeControl(runSuite: RunSuite, baselineRuns: BaselineRuns): Promise<NegativeControl> {
  const run = await runSuite({ armed: [], isDead: true, ...limitsOf(baselineRuns) });
  const passed = new Set(run.units.flatMap(({ unit, outcome }) => (outcome === 'passed' ? [unit] : [])));
  const names = asking(baselineRuns).flatMap(({ unit, name }) => (passed.has(unit) ? [name] : []));
  return { requests: run.requests, passed_dead: names };
}

/** Throws `RunFault` (3) where no unit that asks for anything fails with the service dead. */
export function requireFailures(control: NegativeControl, baselineRuns: BaselineRuns): void {
  const { length } = asking(baselineRuns);
  if (control.passed_dead.length < length) return;
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
