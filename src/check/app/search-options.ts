import type { RunTrace } from '../runner/runner.ts';
import type { Failure, Finding } from './finding-book.ts';
import type { Standards } from './judge.ts';
import type { Schedule } from './schedule.ts';
import type { Search } from './search-order.ts';
import type { Replay } from './token.ts';

/** How long and how far a search goes, and by what runs are judged. */
export interface SearchOptions extends Standards {
  search: Search;
  /** Milliseconds from the start; 0: until nothing is left. */
  budgetMs: number;
  /** How many schedules at most; undefined: as many as there are. */
  schedules: number | undefined;
  stopAfter: number | undefined;
  /** Stories at the same time. */
  jobs: number;
  shard: { index: number; of: number };
  version: string;
  /** Found in earlier searches: tried first. */
  saved: readonly Replay[];
  signal: AbortSignal;
  /** Called with what is wrong with the story but stops nothing. */
  warn?: (message: string) => void;
  /** Called where two runs of the story get in each other's way. */
  onCrowded?: () => void;
  /** Called when the plain runs are made. */
  onPrepared?: () => void;
  /** Called with what has failed for the first time, and with what has failed each of three times: there may be a smaller form of it. */
  onSuspect?: (schedule: Schedule, failure: Failure) => void;
  onConfirmed?: (finding: Finding) => void;
  /** A token counts whatever else the story has become: all of its steps have to come up. */
  anyStory?: boolean;
  /** Given the trace of each finding: of one more run of its schedule, while there is time. */
  keepTrace?: (finding: Finding, trace: RunTrace) => void;
}
