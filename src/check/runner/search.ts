/** Scenarios that were tried, and that there are as far as is known. */
export interface Progress {
  done: number;
  planned: number;
}

/** One search of a check, for faults or for violations: both make their runs by the same runner, within the same budget. */
export interface Search<Results> {
  readonly progress: Progress;
  /** Can be read at any time, whatever ends the search. */
  readonly results: Results;
  /** Tries all that is asked for, or the one finding of a token. Throws `RunFault` if the command by itself prevents that. */
  run(): Promise<void>;
}
