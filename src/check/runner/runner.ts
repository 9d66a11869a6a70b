import type { ViolationSwitch } from '../../client/violation-relay.ts';
import type { RunContext, RunRecord } from './run-record.ts';

/** An app that runs next to a command. */
export interface KillableApp {
  /** Ends its process group at once; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again on its port and folder; resolves when it is ready. */
  restart(): Promise<void>;
}

/** One page of all that is on record of a run, or why there is none. */
export type RunTrace = { html: string } | { fault: string };

/** What the trace of a run says that the emulator does not know. */
export interface TraceHeading {
  title: string;
  /** Why the command fails. */
  failure: string;
  /** What was made to happen in it, a line each. */
  schedule?: string[];
}

/** How long a process stood still while something went on: milliseconds in all, and at once at most. */
export interface Standstill {
  sum: number;
  worst: number;
}

/** How a run went: what the command did, and what is on record of it. */
export interface Run {
  record: RunRecord;
  /** How the command ended: undefined where it ended well. */
  failure: { kind: 'exit' | 'hang'; message: string; exitCode?: number | undefined } | undefined;
  /** The last of what it printed. */
  output: string;
  /** Why the command of `--assert` failed. */
  check: string | undefined;
  /** Whether the app and the service came to rest after it. */
  rested: boolean;
  /** Machine's time in milliseconds: when what belongs to the run first did something, when the command began, and the end. */
  made: number;
  began: number;
  ended: number;
  /** How long the command took. */
  ms: number;
  /** How long this process stood still meanwhile. */
  standstill?: Standstill;
  /** Where one was ordered, and the runner keeps an emulator for each run. */
  trace?: RunTrace | undefined;
}

/** Where a run is prepared: its state, and its app where one runs next to the command. */
export interface RunSite {
  context: RunContext;
  app: KillableApp | undefined;
  /** What its emulator reports otherwise than it is, where it is in this process. */
  violations: ViolationSwitch | undefined;
  /** What counts what its emulator charges, where one was opened with it. */
  tally?: object | undefined;
}

/** What was set up for one run. */
export interface Preparation {
  /** Resolves when the app is up, where it is being killed and started again now. */
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

/** Sets a run up before its command begins. */
export type Prepare = (site: RunSite) => Promise<Preparation>;

/** Which run goes first: one that needs few others next to it, then one that continues, then a new one. */
export type Rank = 'calm' | 'next' | 'new';

/** What one run is to be. */
export interface RunOrder {
  prepare?: Prepare | undefined;
  /** What is prepared concerns, or is counted from, what the app asks at its start. */
  fromStart?: boolean;
  /** What its trace is headed with, where one is made. */
  trace?: TraceHeading | undefined;
  /** By default `next`. */
  rank?: Rank;
  /** It waits for no other run: it confirms what has failed. */
  isUrgent?: boolean;
  /** The command waits for most of its time: others go on next to it. */
  isWaiting?: boolean;
  /** After how many milliseconds the command is stopped; undefined while its usual length is unknown. */
  limitMs?: number | undefined;
}

/** Runs commands, each against a state of its own. */
export interface Runner<Order = RunOrder> {
  /** Whether the app's process can be killed and started again. */
  readonly hasApp: boolean;
  /** Runs one command and all that belongs to it. Throws `RunFault` for what keeps every command from running. */
  run(order: Order): Promise<Run>;
}

/** One that owns what it runs in. */
export interface OwnRunner extends Runner {
  /** Ends whatever still runs. */
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
