import type { Run } from './run-record.ts';
import type { Entry } from './schedule.ts';
import type { Step } from './step.ts';
import type { Rank } from './story-pace.ts';

/** One entry with the step that it is bound to. */
export interface Bound {
  entry: Entry;
  step: Step;
}

/** What the trace of a run tells that the emulator does not know. */
export interface TraceHeading {
  title: string;
  /** Why the story fails. */
  failure: string;
}

/** What one run is to be. */
export interface RunOrder {
  bounds: readonly Bound[];
  /** Of takes that could end in either order, the last one ends first. */
  reversed?: boolean;
  /** What is disturbed is, or may be counted from, what the app asks at its start. */
  fromStart?: boolean;
  /** Every answer comes a little later, so that what is asked at the same time is seen to be. */
  delayed?: boolean;
  /** What its trace is headed with, where one is wanted. */
  trace?: TraceHeading | undefined;
  /** Who goes first where there is not room for all, and who has few beside him: `next` unless told otherwise. */
  rank?: Rank;
  /** After how many milliseconds the story is stopped; undefined while nobody knows how long it takes. */
  limitMs?: number | undefined;
}

/** Where stories run, each against a state of its own. */
export interface Runner {
  /** Whether the app's process can be killed and started again. */
  readonly hasApp: boolean;
  /** Runs one story and all that belongs to it. Throws `ExploreFault` for what keeps every story from running. */
  run(order: RunOrder): Promise<Run>;
  /** Ends whatever still runs. */
  close(): Promise<void>;
}

/** What keeps a search from being made or going on: the message names fault and remedy, `exitCode` is that of the command. */
export class ExploreFault extends Error {
  override name = 'ExploreFault';
  readonly exitCode: number;

  constructor(message: string, exitCode = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}
