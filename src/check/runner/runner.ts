import type { RunContext, RunRecord } from './run-record.ts';

export interface KillableApp {
  kill(): Promise<void>;
  restart(): Promise<void>;
}

export type RunTrace = { html: string } | { fault: string };

export interface TraceHeading {
  title: string;
  failure: string;
  schedule?: string[];
}

/** How long a process stood still, in milliseconds: in total, and at most at once. */
export interface Standstill {
  sum: number;
  worst: number;
}

export interface Run {
  record: RunRecord;
  failure: { kind: 'exit' | 'hang'; message: string; exitCode?: number | undefined } | undefined;
  output: string;
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
  tally?: object | undefined;
}

export interface Preparation {
  upAgain?(): Promise<void>;
  end?(): Promise<void>;
  /** Ends the command once the result is known. */
  over?: AbortSignal;
  /** If true, the run does not wait until the app comes to rest. */
  isKnown?(): boolean;
  /** After the record of the run, and before `--assert`, whose own requests are not judged. */
  read?(): Promise<void>;
}

export type Prepare = (site: RunSite) => Promise<Preparation>;

/** Priority: a run that needs a quiet machine, then one that continues, then a new one. */
export type Rank = 'calm' | 'next' | 'new';

export interface RunOrder {
  prepare?: Prepare | undefined;
  /** The preparation concerns, or counts from, the requests of the app at its start. */
  fromStart?: boolean;
  trace?: TraceHeading | undefined;
  rank?: Rank;
  isUrgent?: boolean;
  isWaiting?: boolean;
  /** Undefined if the usual length of the command is unknown. */
  limitMs?: number | undefined;
}

export interface Runner<Order = RunOrder> {
  readonly hasApp: boolean;
  /** Throws `RunFault` if no command can be run. */
  run(order: Order): Promise<Run>;
}

export interface OwnRunner extends Runner {
  close(): Promise<void>;
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
