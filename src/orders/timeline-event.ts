import type { Tone } from './order-records.ts';

/** The lanes of a trail, in the order in which they are drawn. */
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
export interface Step {
  /** Its own within the trail; where it is a record's, that record's id. */
  id: string;
  kind: StepKind;
  at: number;
  took: number | null;
  tone: Tone;
  /** In one line. */
  text: string;
  /** Ids of the records it is about, its own first. */
  refs: readonly string[];
}

export type StepKind =
  | 'ordered'
  | 'fault'
  | 'charged'
  | 'refunded'
  | 'answered'
  | 'began'
  | 'failed'
  | 'succeeded'
  | 'read'
  | 'told'
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
  tone: Tone;
  /** Of money: what was left after it, and before. */
  balance?: { before: number; after: number };
  /** Inside of it, and right of it. */
  text: string;
  note: string;
}

/** A step at its position, and what is drawn for it. */
export interface Mark {
  step: Step;
  track: TrackName;
  bars: readonly Bar[];
}

/** `409 ms`, `3.89 s`, `4 min 12 s`. */
export function lengthText(milliseconds: number): string {
  const ms = Math.max(0, Math.round(milliseconds));
  if (ms < 1000) return `${ms} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${Number(seconds.toFixed(seconds < 10 ? 2 : 1))} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  if (whole < 86_400) return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
  return `${Math.floor(whole / 86_400)} d ${Math.floor((whole % 86_400) / 3600)} h`;
}
