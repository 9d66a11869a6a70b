import type { Drawing } from '../orders/draw-lanes.ts';
import type { Bar } from '../orders/timeline-event.ts';

/** A bar of a run that failed; `sign` is the number of the schedule's entry that is at work in it, from 1. */
export interface SignedBar extends Bar {
  sign?: number | undefined;
}

/** One run as the dashboard draws an order. Times are milliseconds after its first message. */
export type RunDrawing = Drawing<SignedBar>;

/** What happened at one position of two runs; undefined on the side on which nothing did. */
export interface RunPair {
  /** In the failing run. */
  did?: string | undefined;
  /** In an undisturbed one of the same outcome. */
  should?: string | undefined;
}

/** One path at which two states differ; what only one of them has is `nothing` in the other. */
export interface Difference {
  /** Such as `orders.0.state`. */
  path: string;
  was: string;
  is: string;
}

/** What the page of a report shows of one finding, in words that are made. */
export interface ShownFinding {
  token: string;
  title: string;
  kind: string;
  message: string;
  /** How often it failed, and how many schedules shrank to it. */
  failed: string;
  seen: string;
  isUnstable: boolean;
  /** Each entry of the schedule in words, by its name, and where it is explained. */
  entries: readonly { words: string; name: string; section: string }[];
  /** What a failure of its kind means, and the lines that say what went wrong. */
  meaning: string;
  lines: string;
  output: string;
  again: string;
  test: string;
  trail: readonly string[];
  pairs: readonly RunPair[];
  drawing?: RunDrawing | undefined;
  differences: readonly Difference[];
}

/** The report of a search as a page without an emulator shows it, in place of a trace. */
export interface FindingsFile {
  findings: {
    command: string;
    /** What was run, in a sentence. */
    sum: string;
    error?: string | undefined;
    shown: readonly ShownFinding[];
    /** Each deviation that was tried. */
    tried: readonly { name: string; run: number; failed: number }[];
  };
}
