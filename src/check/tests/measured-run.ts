import type { LieOrder } from '../../client/lie-relay.ts';
import type { RunRecord } from '../runner/run-record.ts';
import type { RunTrace } from '../runner/runner.ts';

/** A place in the contract that a unit met, at which a lie could act. */
export interface ReachedSite {
  lie: string;
  field?: string | undefined;
  site: string;
}

/** What noticed a lie: the test's own assertion, another error, the receiver's refusal, or a clock. */
export type NoticedBy = 'assertion' | 'error' | 'refused' | 'timeout';

/** How a unit ended in one run. */
export interface UnitEnd {
  /** What the emulator knows it by. */
  unit: string;
  /** As its runner names it; unique in its suite. */
  name: string;
  /** The whole command: every lie at it is alone in its run. */
  isWhole: boolean;
  file?: string | undefined;
  line?: number | undefined;
  /** `open`: it was under way when the run was ended. */
  outcome: 'passed' | 'failed' | 'open';
  ms: number;
  /** What it failed with, or the last of what the command printed. */
  error?: string | undefined;
  /** How many requests of the service it made. */
  requests: number;
  /** It moved the clock, reset or restored: its lies have a run for themselves. */
  exclusive: boolean;
  /** The sites that it met. */
  sites: readonly ReachedSite[];
}

/** What is to be run. */
export interface MeasureOrder {
  armed: readonly LieOrder[];
  /** Every request of the service is answered 500, and nothing is delivered. */
  isDead?: boolean;
  /** After how many milliseconds the command is ended; undefined while its usual length is unknown. */
  limitMs?: number | undefined;
  /** After how many a unit counts as one that never ends. */
  limitOf?: ((unit: string) => number) | undefined;
  /** The title of the page of the run, where one is made. */
  trace?: string | undefined;
}

/** What one run of the suite has shown. */
export interface MeasuredRun {
  units: readonly UnitEnd[];
  /** The command was ended by the clock. */
  isHung: boolean;
  /** Units that took longer than a unit may. */
  hung: ReadonlySet<string>;
  hasPassed: boolean;
  /** The shell has found no such command. */
  isMissing: boolean;
  /** The last of what it printed. */
  output: string;
  /** How long the command took. */
  ms: number;
  requests: number;
  /** Ids of armed lies that acted and were taken by a client. */
  acted: ReadonlySet<string>;
  /** Ids of those of them whose deliveries a receiver answered 4xx. */
  refused: ReadonlySet<string>;
  /** What can be seen of a unit from outside, in a form that is equal for equal runs. */
  seen: ReadonlyMap<string, string>;
  /** What is on record of a unit. */
  records: ReadonlyMap<string, RunRecord>;
  /** When the command began: milliseconds of the machine's time. */
  began: number;
  /** The run as one page, or why there is none, where it was asked for. */
  trace?: RunTrace | undefined;
}

/** Where suites are run, each time on fresh equal state. */
export interface MeasureWorld {
  /** Throws `RunFault` for what keeps every run from being made. */
  run(order: MeasureOrder): Promise<MeasuredRun>;
  /** Ends whatever still runs. */
  close(): Promise<void>;
}

/** How far a measurement is. */
export interface MeasureProgress {
  phase: 'baseline' | 'control' | 'lies' | 'liberties';
  runs: number;
  /** Lies at their sites that have a verdict, and that are planned. */
  done: number;
  planned: number;
  elapsedMs: number;
}
