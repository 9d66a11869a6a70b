import { FunctionRunner, type FunctionWorld, type Story, type StoryChecks } from '../runner/function-runner.ts';
import { RunFault, TOO_LITTLE } from '../runner/runner.ts';
import { ScheduleRunner } from './apply-schedule.ts';
import { type ExploreReport, makeReport } from './explore-report.ts';
import { type ExploreOptions, readSettings, shortfallOf } from './explore-settings.ts';
import { type SearchOptions, SearchRun } from './search-run.ts';
import { type Replay, readToken } from './token.ts';

/** What the function form takes: the flags in camel case, and what the user knows at the end of each run. */
export interface ExploreFunctionOptions extends Omit<ExploreOptions, 'replay'>, StoryChecks {
  /** Tokens of findings of one seed: only their schedules are run, at the same time. */
  replay?: string | readonly string[];
}

/** What a search by a function needs around it. */
export type SearchWorld = FunctionWorld & Pick<SearchOptions, 'statementOf'>;

/** Most of a run is waiting: so many stories go on at the same time. */
const USUAL_JOBS = 16;

/** Runs a story under everything that the service may do. Rejects with `RunFault` where it cannot be explored. */
export async function exploreFunction(
  story: Story,
  options: ExploreFunctionOptions,
  { clock, version, openEmulator, statementOf }: SearchWorld,
): Promise<{ report: ExploreReport; fault?: string }> {
  const { check, probe, replay = [], ...search } = options;
  const settings = readSettings(search, { jobs: USUAL_JOBS });
  const replays = [replay].flat().map((token) => requireToken(token, version));
  const seed = replays[0]?.seed ?? settings.search.seed;
  if (replays.some((each) => each.seed !== seed)) {
    throw new RunFault('The tokens of replay are of different seeds; expected those of one search.');
  }
  const runner = new FunctionRunner({ story, check, probe, clock, openEmulator: () => openEmulator(seed) });
  const searchRun = new SearchRun(new ScheduleRunner(runner, clock, settings), clock, {
    ...settings,
    search: { ...settings.search, seed, kills: false },
    version,
    saved: [],
    signal: new AbortController().signal,
    warn: (message) => process.emitWarning(message),
    statementOf,
  });
  try {
    const result = replays.length > 0 ? await searchRun.replayAll(replays) : await searchRun.search();
    const shortfall = replays.length > 0 ? undefined : shortfallOf(searchRun, settings);
    if (shortfall !== undefined) throw new RunFault(shortfall, TOO_LITTLE);
    const about = { version, command: story.name || 'story', seed, bound: settings.search.bound };
    const report = makeReport({ ...about, seconds: searchRun.seconds }, result);
    if (search.sparesRefusals) Object.assign(report, searchRun.tried);
    const { findings } = result;
    if (findings.length === 0) return { report };
    const { printText } = await import('../print-report.ts');
    const { printableExplore, printTests } = await import('./print-explore.ts');
    const shown = new Map(findings.map((each) => [each.token, each.shown]));
    return { report, fault: printText(printableExplore(report, shown, printTests(findings))) };
  } finally {
    await runner.close();
  }
}

function requireToken(token: string, version: string): Replay {
  const replay = readToken(token);
  if (replay?.version === version) return replay;
  throw new RunFault(`replay is no token of this version (${version}); expected one that a finding was reported with.`);
}
