import type { Clock } from '../clock/clock.ts';
import type { Run } from './run-record.ts';
import type { Entry } from './schedule.ts';
import type { Step } from './step.ts';
import { Pace, type Rank } from './story-pace.ts';

/** One entry with the step that it is bound to. */
export interface Bound {
  entry: Entry;
  step: Step;
}

/** What the trace of a run says that the emulator does not know. */
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
  /** Which run goes first where there is not room for all, and which has few beside it; by default `next`. */
  rank?: Rank;
  /** After how many milliseconds the story is stopped; undefined while its usual length is unknown. */
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

/** A world in which no more stories go on at once than this process keeps up with. */
export class PacedRunner implements Runner {
  readonly #runner: Runner;
  readonly #pace: Pace;

  constructor(runner: Runner, clock: Clock, { jobs, signal }: { jobs: number; signal: AbortSignal }) {
    this.#runner = runner;
    this.#pace = new Pace(clock, jobs, signal);
  }

  get hasApp(): boolean {
    return this.#runner.hasApp;
  }

  run(order: RunOrder): Promise<Run> {
    return this.#pace.go(order.rank ?? 'next', async (standstill) => {
      const run = await this.#runner.run(order);
      return { ...run, standstill: { ...standstill } };
    });
  }

  /** From now on one story runs at a time. */
  narrow(): void {
    this.#pace.narrow();
  }

  close(): Promise<void> {
    return this.#runner.close();
  }
}

type Timed = Pick<Run, 'standstill' | 'began' | 'ended'>;

/** How long, in milliseconds or as a share of the run, a process may stall before the run says little about its story. */
const STANDSTILL_MS = 700;
const SHARE = 0.4;

/** Whether a run says more of the machine than of the story: a story that keeps its process busy by itself does so each time. */
export function isStarved({ standstill, began, ended }: Timed, plain: readonly Timed[]): boolean {
  if (!standstill) return false;
  const usual = Math.max(0, ...plain.map((run) => run.standstill?.worst ?? 0));
  const share = (each: Timed) => (each.standstill?.sum ?? 0) / Math.max(1, each.ended - each.began);
  const usualShare = Math.max(0, ...plain.map(share));
  const own = standstill.sum / Math.max(1, ended - began);
  return standstill.worst > Math.max(STANDSTILL_MS, 2 * usual) || own > Math.max(SHARE, 2 * usualShare);
}
