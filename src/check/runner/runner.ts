import type { SpendRow } from '../spend.ts';
import type { RunContext, RunRecord, TestRow } from './run-record.ts';

export interface KillableApp {
  kill(): Promise<void>;
  restart(): Promise<void>;
}

export type RunTrace = { html: string } | { fault: string };

export interface TraceHeading {
  title: string;
  failure: string;
  scenario?: string[];
}

/** How long this process stood still, in milliseconds: in total, and at most at once. */
export interface Standstill {
  sum: number;
  worst: number;
}

export interface Run {
  record: RunRecord;
  /** Across the resets of its tests, which the record does not show. */
  spent: SpendRow[];
  /** Its tests reset the emulator or restored a snapshot, and so removed the faults and a part of the record. */
  isReset: boolean;
  failure: { kind: 'exit' | 'hang'; message: string; exitCode?: number | undefined } | undefined;
  output: string;
  /** What `--assert` found wrong. */
  check: string | undefined;
  rested: boolean;
  /** Milliseconds of the machine's time: the first action of the run, the start of the command, and its end. */
  made: number;
  began: number;
  ended: number;
  ms: number;
  standstill?: Standstill;
  trace?: RunTrace | undefined;
}

export interface RunSite {
  context: RunContext;
  app: KillableApp | undefined;
}

/** The faults of a run. */
export interface Armed {
  /** Resolves when an app that is being restarted is up. */
  upAgain(): Promise<void>;
  /** After the command. */
  end(): Promise<void>;
  /** After the record of the run, and before `--assert`, whose own requests are not judged. */
  disarm(): Promise<void>;
}

export interface Watch {
  /** Ends the command. */
  over: AbortSignal;
  /** If true, the result is known, and nothing more of the run counts. */
  isKnown(): boolean;
  end(): Promise<void>;
}

/**
 * Which other runs a run waits for: runs whose clients mostly wait, runs that confirm a failure, and all others have turns
 * of their own. A calm run is alone.
 */
export type Turn = 'ordinary' | 'waiting' | 'urgent' | 'calm';

export interface RunTask {
  turn?: Turn | undefined;
  /** Undefined if the usual length of the command is unknown. */
  limitMs?: number | undefined;
  /** The faults concern, or count from, the requests of the app at its start. */
  fromStart?: boolean | undefined;
  /** The only tests that need to run, if the runner can select tests. */
  tests?: readonly TestRow[] | undefined;
  trace?: TraceHeading | undefined;
  arm?(site: RunSite): Promise<Armed>;
  watch?: ((context: RunContext) => Watch) | undefined;
}

export interface Runner {
  readonly hasApp: boolean;
  readonly hasAssert: boolean;
  /** Throws `RunFault` if no command can be run. */
  run(task: RunTask): Promise<Run>;
  /** From now on one run at a time. */
  narrow(): void;
}

/** Exit codes: the shell does not find the command, and too little was measured. */
export const [NO_COMMAND, TOO_LITTLE] = [127, 3];

/** Prevents all runs. The message names the fault and the remedy. */
export class RunFault extends Error {
  override name = 'RunFault';
  readonly exitCode: number;

  constructor(message: string, exitCode = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}
