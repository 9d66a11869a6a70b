import type { OrderLine as Told } from '../../../trail/order-line.ts';
import type { Trail as DrawnTrail } from '../../../trail/trail.ts';
import type { ExplainedStep } from './records.ts';

export type { Fate, Link as FateLink } from '../../../trail/order-fate.ts';
export type { Tone as OrderTone } from '../../../trail/order-records.ts';
export type { Lane, Rail } from '../../../trail/trail.ts';
export type { Bar, LaneKind, Step } from '../../../trail/trail-mark.ts';
export type { Gap, Knot, Scale } from '../../../trail/trail-scale.ts';

/** One order as a row shows it; times are milliseconds of the machine's clock. */
export interface OrderLine extends Told {
  thumbnail_url: string | null;
}

/** A file that an order came to. */
export interface MadeFile {
  job_id: string;
  library_id: string;
  kind: string;
  content_type: string;
  seconds: number | null;
  url: string;
  thumbnail_url: string;
}

export interface Trail extends DrawnTrail {
  line: Told;
  made: readonly MadeFile[];
  explained: readonly (ExplainedStep & { [more: string]: unknown })[];
}

/** What a search that found nothing says. */
export interface SearchAnswer {
  data: { object: string; id: string; account_id: string | null }[];
  searched: Record<'request' | 'job' | 'event' | 'delivery' | 'run', number>;
  nearest: { q: string; found: number }[];
}
