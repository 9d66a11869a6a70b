import { counted } from '../log/counted.ts';
import type { Settings } from './explore-settings.ts';
import type { SearchResult } from './search-result.ts';

/** Exit code of a search that has run too few schedules to say anything. */
export const TOO_FEW = 3;

/**
 * Why a search that found nothing says nothing: it has run fewer schedules than `--min-schedules` asks for. Undefined
 * where it has found something, or run enough.
 */
export function shortfallOf(result: SearchResult, settings: Settings): string | undefined {
  const { schedulesRun: run, findings } = result;
  const { minSchedules } = settings;
  if (findings.length > 0 || run >= minSchedules) return undefined;
  const ran = run === 0 ? 'No schedule was run' : `Only ${counted(run, 'schedule')} of ${minSchedules} were run`;
  return `${ran}: ${reasonOf(result, settings)}`;
}

function reasonOf(result: SearchResult, { budgetMs, schedules }: Settings): string {
  const { schedulesRun: run, schedulesLeft: left, preparedMs } = result;
  if (left === 0 && run === 0)
    return 'the story has no step at which --only, --skip and --shard leave something to try.';
  if (left === 0) return 'there are no more of this story and these options. Ask for fewer with --min-schedules.';
  if (run >= (schedules ?? Number.POSITIVE_INFINITY)) return `--schedules is ${schedules}. Let it be more.`;
  return `plain runs took ${inSeconds(preparedMs)} of ${inSeconds(budgetMs)} s. Give a longer --budget, or a shorter story.`;
}

function inSeconds(ms: number): string {
  return String(ms < 10_000 ? Math.round(ms / 100) / 10 : Math.round(ms / 1000));
}
