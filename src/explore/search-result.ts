import { counted } from '../log/log.ts';
import type { Settings } from './explore-settings.ts';
import type { FindingBook } from './finding-book.ts';
import { hashOf } from './search-order.ts';

/** How far a search is while it goes on. */
export interface SearchProgress {
  run: number;
  total: number;
  findings: number;
  elapsedMs: number;
}

/** What a search has come to, at its end or where something has ended it. */
export interface SearchResult {
  /** How long the plain runs took, in milliseconds: nothing else is tried before. */
  preparedMs: number;
  plain: { ms: number; steps: string[] };
  schedulesRun: number;
  schedulesLeft: number;
  schedulesHash: string;
  schedulesFollowed: number;
  findings: FindingBook['findings'];
  unstable: FindingBook['unstable'];
  byDeviation: Record<string, { run: number; failed: number }>;
}

/** The result of a search that has not started. */
export const NOTHING_RUN: SearchResult = {
  ...{ preparedMs: 0, plain: { ms: 0, steps: [] }, schedulesRun: 0, schedulesLeft: 0, schedulesHash: hashOf([]) },
  ...{ schedulesFollowed: 0, findings: [], unstable: [], byDeviation: {} },
};

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
