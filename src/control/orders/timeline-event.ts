import type { LineTone } from './order-records.ts';

/** The lanes of a timeline, in the order in which they are drawn. */
export const LANES = ['client', 'service', 'jobs', 'money', 'deliveries'] as const;
export type LaneKind = (typeof LANES)[number];
/** As they are written before their lane. */
export const LANE_NAMES: Record<LaneKind, string> = {
  client: 'Client',
  service: 'Service',
  jobs: 'Jobs',
  money: 'Money',
  deliveries: 'Deliveries',
};

/** A line within a lane: of one take, or of one event to one endpoint. */
export interface TrackName {
  lane: LaneKind;
  id: string;
  label: string;
}

/** One step of what became of an order. Times are milliseconds of the machine's clock. */
export interface TimelineStep {
  /** Its own within the timeline; where it is a record's, that record's id. */
  id: string;
  kind: TimelineStepKind;
  at: number;
  took: number | null;
  tone: LineTone;
  /** In one line. */
  text: string;
  /** Ids of the records it is about, its own first. */
  refs: readonly string[];
}

export type TimelineStepKind =
  | 'ordered'
  | 'fault'
  | 'charged'
  | 'refunded'
  | 'answered'
  | 'began'
  | 'failed'
  | 'succeeded'
  | 'read'
  | 'published'
  | 'delivered'
  | 'clock'
  | 'note'
  | 'waits';

/** Something drawn on a track; `to` is null while it goes on. */
export interface Bar {
  step: string;
  from: number;
  to: number | null;
  look: 'call' | 'queued' | 'rendering' | 'delivery' | 'tick' | 'mark' | 'money';
  tone: LineTone;
  /** Of money: what was left after it, and before. */
  balance?: { before: number; after: number };
  /** Inside of it, and right of it. */
  text: string;
  note: string;
}

/** A step at its position, and what is drawn for it. */
export interface TimelineEvent {
  step: TimelineStep;
  track: TrackName;
  bars: readonly Bar[];
}

/** The name of the clock that orders everything. */
export const TIMELINE_CLOCK = 'machine';

export interface Lane {
  kind: LaneKind;
  tracks: readonly { id: string; label: string; bars: readonly Bar[] }[];
}

/** A track upright, as beside a list of steps: from the first of its steps to the last. */
export interface Swimlane {
  id: string;
  lane: LaneKind;
  label: string;
  /** Positions in `steps`. */
  steps: readonly number[];
}

/** One order, as a drawing and as a list. Times are milliseconds after `began`, which is the machine's. */
export interface OrderTimeline {
  id: string;
  title: string;
  says: string;
  tone: LineTone;
  clock: { name: typeof TIMELINE_CLOCK; began: number; emulated: number | null };
  /** In the order of the clock; of one moment, in the order in which things lead to one another. */
  steps: readonly (TimelineStep & { track: string })[];
  lanes: readonly Lane[];
  swimlanes: readonly Swimlane[];
  scale: Scale;
  /** The step that went wrong first; else the last. */
  chosen: string | null;
  /** It belongs to a future that a restore has discarded. */
  discarded?: true | undefined;
}

/** A time at which something begins or ends: its position on either scale, as a share of the whole. */
export interface Knot {
  /** Milliseconds from the beginning. */
  at: number;
  even: number;
  linear: number;
}

/** A stretch in which nothing happened, cut out of both scales. */
export interface Gap {
  from: number;
  to: number;
  text: string;
}

export interface Scale {
  knots: readonly Knot[];
  gaps: readonly Gap[];
}
