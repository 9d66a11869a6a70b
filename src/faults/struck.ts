import type { WebhookFault } from './delivery-faults.ts';

/** When a job seems final to those who read it. */
export const JOB_PACES = ['instant', 'late', 'unpolled'] as const;
export type JobPace = (typeof JOB_PACES)[number];

/** Where on the road the process dies. */
export const CRASH_POINTS = ['after_charge', 'after_work', 'after_settle', 'before_delivery'] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number];

/** How a stream is spoilt: milliseconds of real time; events counted from 1. */
export interface StreamFault {
  ttft_ms?: number;
  interval_ms?: number;
  cut_after?: number;
  malformed_at?: number;
  omit_done?: boolean;
}

/** How the read of a file is broken: in bytes. */
export interface CdnFault {
  /** The URL is good no more, now and later. */
  expired?: true;
  truncate_at?: number;
  bytes_per_second?: number;
  content_type?: string;
  flip_bytes?: number;
  /** What the answer claims to be long. */
  wrong_length?: number;
}

/** What fault rules and a latency profile do to one request, decided when it came in. */
export interface AppliedFault {
  /** The rules that are given back if the work never begins. */
  rules: readonly string[];
  /** True once the work that suffers it has begun: a strike on work that never begins is given back. */
  started?: boolean;
  /** Work that no rule strikes by itself fails with this code; its charge is refunded. */
  fail?: string;
  /** The work takes at least this long, in seconds of the emulator's clock. */
  slowSeconds?: number;
  /** How long the pieces of a stream take after its first, in seconds of the emulator's clock. */
  spreadSeconds?: number;
  stream?: StreamFault;
  /** What becomes of the answer once the work is done. */
  answer?: 'lost' | 'swapped';
  /** The hold that catches the answer. */
  hold?: string;
  cdn?: CdnFault;
  /** What the takes suffer, in their order; what has no takes is the first of one. */
  units?: readonly TakeFault[];
}

/** What one take suffers, and what is kept with its job. */
export interface TakeFault {
  /** It fails with this code. */
  fail?: string;
  faults?: JobFaults;
}

/** What a job carries on its way. */
export interface JobFaults {
  webhook?: WebhookFault;
  pace?: JobPace;
  /** The hold that catches the deliveries of its event. */
  hold?: string;
  /** Taken off, and that committed, before the process dies of it. */
  crash?: CrashPoint;
}

/** What the nth take suffers, counted from 0; what has none, the first. */
export function unitOf(appliedFault: AppliedFault | undefined, position = 0): TakeFault {
  return appliedFault?.units?.[position] ?? {};
}

/** The code with which a take is to fail, if any rule or profile says so. */
export function failOf(appliedFault: AppliedFault | undefined, position = 0): string | undefined {
  return unitOf(appliedFault, position).fail ?? appliedFault?.fail;
}

/** Ends the process at once, as a crash does: nothing after it runs. */
export type CrashHook = () => never;
