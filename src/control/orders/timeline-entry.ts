import type { AppliedRule } from './order-causes.ts';
import type { OutcomeTone } from './order-records.ts';

/** The lanes of a timeline, from top to bottom. */
export const LANES = ['client', 'service', 'jobs', 'money', 'deliveries'] as const;
export type Lane = (typeof LANES)[number];

/**
 * Ranks entries of the same moment: lower ones come first, so that causes precede effects. An entry without a lane explains
 * a request and is not drawn.
 */
export const RANK_AND_LANE_OF_KIND = {
  received: [0, 'client'],
  validated: [1, null],
  directives: [1, null],
  faults: [1, null],
  scripted_answers: [1, null],
  clock: [2, 'service'],
  note: [2, 'service'],
  fault: [3, 'service'],
  charged: [4, 'money'],
  queued: [5, 'jobs'],
  started: [5, 'jobs'],
  failed: [6, 'jobs'],
  succeeded: [6, 'jobs'],
  refunded: [7, 'money'],
  run: [8, 'service'],
  published: [9, 'deliveries'],
  returned: [10, 'service'],
  delivered: [11, 'deliveries'],
  read: [12, 'client'],
} as const satisfies Record<string, readonly [rank: number, lane: Lane | null]>;

export type TimelineEntryKind = keyof typeof RANK_AND_LANE_OF_KIND;

/** `at` is the machine's time and `took` a duration, both in milliseconds. */
export interface TimelineEntry {
  /** Unique in the timeline: the id of the shown record, or another text such as `returned`. */
  id: string;
  kind: TimelineEntryKind;
  at: number;
  took: number | null;
  tone: OutcomeTone;
  text: string;
  details: readonly string[];
  refs: readonly string[];
  track: { lane: Lane | null; id: string; label: string };
  data: TimelineEntryData;
}

/** Fields such as `amount`, `polls` or `rules`, by the kind of the entry. Those that code reads have a type. */
export interface TimelineEntryData {
  [field: string]: unknown;
  method?: string;
  /** Null if there was no response, 0 if the connection was reset. */
  status?: number | null;
  error?: { code: string; message: string };
  /** Negative for a charge; `balance` is the balance after the entry. */
  amount?: number;
  balance?: number;
  rule?: Omit<AppliedRule, 'id'>;
  /** The remaining credits in a 402. */
  left?: number;
  fault?: string | null;
  redelivery_of?: string | null;
  /** The ends of the polls, in milliseconds after the end of the first one. */
  reads?: readonly number[];
}

/** A duration in one or two units: `5.2 s`, `59 min 59 s`, `7 d 0 h`. */
export function durationText(milliseconds: number): string {
  const ms = Math.max(0, Math.round(milliseconds));
  if (ms < 1000) return `${ms} ms`;
  const exact = Number((ms / 1000).toFixed(ms < 10_000 ? 2 : 1));
  if (exact < 60) return `${exact} s`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.round(ms / 60_000);
  const hours = Math.round(ms / 3_600_000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  if (minutes < 1440) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

const UNITS: readonly (readonly [size: number, part: number, unit: string])[] = [
  [86_400, 3600, 'd'],
  [3600, 60, 'h'],
  [60, 1, 'min'],
];

/** A duration in one unit: `7 d` for 6 days and 23 hours. */
export function roundedDurationText(seconds: number): string {
  const [size, , unit] = UNITS.find(([least, part]) => Math.round(seconds / part) * part >= least) ?? [1, 1, 's'];
  return `${Math.round(seconds / size)} ${unit}`;
}

const SIZES = ['KiB', 'MiB', 'GiB'];

export function byteSizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const power = Math.min(SIZES.length, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(1)} ${SIZES[power - 1]}`;
}
