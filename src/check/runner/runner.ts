import type { ViolationSwitch } from '../../client/violation-relay.ts';
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

/** How long a process stood still while something went on: milliseconds in all, and at once at most. */
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
  /** Machine's time in milliseconds: when what belongs to the run first did something, when the command began, and the end. */
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
  violations: ViolationSwitch | undefined;
  tally?: object | undefined;
}

export interface Preparation {
  upAgain?(): Promise<void>;
  /** Ends what holds messages or changes jobs. */
  end?(): Promise<void>;
  /** Ends the command when it is aborted: it has shown what it was run for. */
  over?: AbortSignal;
  /** All that the run was for is known: it is not waited for until it comes to rest. */
  isKnown?(): boolean;
  /** Called when all that belongs to the run is on record. */
  read?(): Promise<void>;
}

export type Prepare = (site: RunSite) => Promise<Preparation>;

/** Which run goes first: one that needs few others next to it, then one that continues, then a new one. */
export type Rank = 'calm' | 'next' | 'new';

export interface RunOrder {
  prepare?: Prepare | undefined;
  /** What is prepared concerns, or is counted from, what the app asks at its start. */
  fromStart?: boolean;
  trace?: TraceHeading | undefined;
  /** By default `next`. */
  rank?: Rank;
  /** It waits for no other run: it confirms what has failed. */
  isUrgent?: boolean;
  isWaiting?: boolean;
  /** After how many milliseconds the command is stopped; undefined while its usual length is unknown. */
  limitMs?: number | undefined;
}

export interface Runner<Order = RunOrder> {
  readonly hasApp: boolean;
  /** Runs one command and all that belongs to it. Throws `RunFault` for what keeps every command from running. */
  run(order: Order): Promise<Run>;
}

export interface OwnRunner extends Runner {
  close(): Promise<void>;
}

/** Exit codes: the shell has found no such command, and what was measured says too little. */
export const [NO_COMMAND, TOO_LITTLE] = [127, 3];

/** What keeps runs from being made or going on: the message names fault and remedy, `exitCode` is that of the command. */
export class RunFault extends Error {
  override name = 'RunFault';
  readonly exitCode: number;

  constructor(message: string, exitCode = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}
