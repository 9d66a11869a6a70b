import type { Drawing } from './draw-lanes.ts';
import type { Bar } from './timeline-event.ts';

/** A bar of a run; `sign` is the number of the schedule's entry that is at work in it, from 1. */
export interface SignedBar extends Bar {
  sign?: number | undefined;
}

/** One run as the dashboard draws an order. Times are milliseconds after its first message. */
export type RunDrawing = Drawing<SignedBar>;

/** What happened at one position of two runs; undefined on the side on which nothing did. */
export interface RunPair {
  /** In the run that the report is about. */
  did?: string | undefined;
  /** In the one that it is compared with. */
  should?: string | undefined;
}

/** A title with a note below it. */
type Head = readonly [title: string, note: string];

/** One thing that a report shows, in words that are made. */
export type ReportBlock =
  | { kind: 'text'; text: string }
  | { kind: 'lines'; text: string; fold?: string }
  | { kind: 'code'; text: string; label: string }
  | { kind: 'list'; items: readonly string[] }
  | { kind: 'entries'; entries: readonly { words: string; name: string; section: string }[] }
  | { kind: 'table'; heads: readonly string[]; rows: readonly (readonly string[])[]; isLastMarked?: true }
  | { kind: 'drawing'; drawing: RunDrawing }
  | { kind: 'pairs'; label: string; heads: readonly [Head, Head]; pairs: readonly RunPair[] };

export interface ReportPart {
  /** None above what has its own. */
  title?: string;
  blocks: readonly ReportBlock[];
}

/** One finding; `rows` are parts side by side, at most two. */
export interface ReportArticle {
  id: string;
  /** In the contents. */
  title: string;
  note: string;
  badge: { tone: 'bad' | 'wait'; text: string };
  notes: readonly string[];
  heading: string;
  rows: readonly (readonly ReportPart[])[];
}

/** A report as the page of a trace shows it. */
export interface ReportFile {
  report: {
    /** The command of this program that wrote it. */
    of: string;
    title: string;
    command: string;
    /** What was run, in a sentence. */
    sum: string;
    error?: string | undefined;
    groups: readonly { title: string; articles: readonly ReportArticle[] }[];
    /** Below the contents. */
    note?: { title: string; text: string } | undefined;
    /** What comes after the articles. */
    parts: readonly ReportPart[];
  };
}
