import type { FaultAtSite } from '../faults/fault-at.ts';
import type { SpendRow } from '../spend.ts';
import type { RunContext, RunRecord, TestRow } from './run-record.ts';

export interface KillableApp {
  kill(): Promise<void>;
  restart(): Promise<void>;
}

export type RunTraceResult = { html: string } | { fault: string };

export interface TraceHeading {
  title: string;
  failure: string;
  scenario?: string[];
}

/**
 * How long this process stood still during a run, in milliseconds: in total (`sum`), and the longest time (`worst`).
 */
export interface StallDurations {
  sum: number;
  worst: number;
}

export interface Run {
  record: RunRecord;
  /** The spending of the whole run. Unlike `record`, it includes what was spent before a reset. */
  spent: SpendRow[];
  /** True if the tests reset the emulator or restored a snapshot, and so removed the faults and a part of the record. */
  isReset: boolean;
  failure: { kind: 'exit' | 'hang'; message: string; exitCode?: number | undefined } | undefined;
  output: string;
  unmet: readonly FaultAtSite[];
  /** The complaint of `--assert`. Undefined if it passed or did not run. */
  check: string | undefined;
  rested: boolean;
  /** When the command started, in milliseconds of the machine's time. */
  began: number;
  /** When the run ended, with `--assert` and its trace, in milliseconds of the machine's time. */
  ended: number;
  ms: number;
  standstill?: StallDurations;
  trace?: RunTraceResult | undefined;
}

export interface ArmingTarget {
  context: RunContext;
  app: KillableApp | undefined;
}

export interface ArmedFaults {
  /** Resolves when an app that a fault killed is ready again. */
  upAgain(): Promise<void>;
  /** Ends holds and delivers late events. Called when the command has ended. */
  end(): Promise<void>;
  /**
   * Called after the run was recorded and before `--assert`, whose own requests the faults must not affect. Returns the faults
   * that nothing in the run met.
   */
  disarm(): Promise<readonly FaultAtSite[]>;
}

export interface RunWatch {
  over: AbortSignal;
  isKnown(): boolean;
  end(): Promise<void>;
}

/**
 * Each turn has its own limit of parallel runs. `waiting`: a run whose clients mostly wait. `urgent`: a run whose
 * result decides about other runs. `calm`: a run with no other run next to it. `ordinary`: any other run.
 */
export type RunClass = 'ordinary' | 'waiting' | 'urgent' | 'calm';

export interface RunTask {
  turn?: RunClass | undefined;
  /** The time limit of the command in milliseconds. Undefined means no limit. */
  limitMs?: number | undefined;
  /**
   * True if a fault applies to requests that the app sends while it starts. The app is then started after the faults
   * are armed.
   */
  fromStart?: boolean | undefined;
  tests?: readonly TestRow[] | undefined;
  trace?: TraceHeading | undefined;
  arm?(target: ArmingTarget): Promise<ArmedFaults>;
  watch?: ((context: RunContext) => RunWatch) | undefined;
}

export interface Runner {
  readonly hasApp: boolean;
  readonly hasAssert: boolean;
  run(task: RunTask): Promise<Run>;
  /**
   * Called if parallel baseline runs failed and runs in sequence passed, for example because parallel runs share a
   * port. Lasts until the end of the check.
   */
  runOneAtATime(): void;
}

/** Exit codes: of a shell that does not find the command, and of a check that could not measure enough. */
export const [COMMAND_NOT_FOUND_EXIT_CODE, TOO_LITTLE_TESTED_EXIT_CODE] = [127, 3];

export class CannotRunError extends Error {
  override name = 'CannotRunError';
  readonly exitCode: number;

  constructor(message: string, exitCode = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}
