import { InjectedFault } from '../../base/errors.ts';
import type { WebhookFault } from './delivery-faults.ts';

export const JOB_PACES = ['instant', 'late', 'unpolled'] as const;
export type JobPace = (typeof JOB_PACES)[number];

export const CRASH_POINTS = ['after_charge', 'after_work', 'after_settle', 'before_delivery'] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number];

export const REPLY_FAULTS = ['refusal', 'empty', 'broken_json', 'markup', 'other_language', 'echo', 'cut'] as const;
export type ReplyFault = (typeof REPLY_FAULTS)[number];

/** What a reply that is cut keeps, by code points: no half of a character stays. */
export function firstHalf(text: string): string {
  const points = [...text];
  return points.slice(0, Math.ceil(points.length / 2)).join('');
}

/** How a stream is corrupted: milliseconds of real time; events counted from 1. */
export interface StreamFault {
  ttft_ms?: number;
  interval_ms?: number;
  cut_after?: number;
  malformed_at?: number;
  omit_done?: boolean;
}

/** How the read of a file is corrupted: in bytes. */
export interface CdnFault {
  expired?: true;
  truncate_at?: number;
  bytes_per_second?: number;
  content_type?: string;
  flip_bytes?: number;
  wrong_length?: number;
}

export interface AppliedFault {
  /** The rules whose use is given back if the work never starts. */
  rules: readonly string[];
  /** Called when the work starts: the use of a rule on work that never starts is given back. */
  onStarted?(): void;
  fail?: string;
  /** The work takes at least this long, in seconds of the emulator's clock. */
  slowSeconds?: number;
  /** How long a stream takes after its first piece, in seconds of the emulator's clock. */
  spreadSeconds?: number;
  stream?: StreamFault;
  reply?: ReplyFault;
  answer?: 'lost' | 'swapped';
  hold?: string;
  cdn?: CdnFault;
  takes?: readonly TakeFault[];
}

export interface TakeFault {
  fail?: string;
  faults?: JobFaults;
}

export interface JobFaults {
  webhook?: WebhookFault;
  pace?: JobPace;
  hold?: string;
  /** Removed, and the removal committed, before the process ends. */
  crash?: CrashPoint;
}

/** Ends the process at once, as a crash does: nothing after it runs. */
export type CrashHook = () => never;

const CODE_OF_STATUS: Record<number, string> = {
  402: 'insufficient_credits',
  408: 'timeout',
  409: 'conflict',
  429: 'rate_limited',
};

/** The answer that a directive, a fault rule or a script asks for; `retryAfter` is in seconds. */
export function injectedStatus(status: number, code?: string, retryAfter?: number, message?: string): InjectedFault {
  const wait = retryAfter ?? (status === 429 ? 1 : undefined);
  return new InjectedFault({
    status,
    code: code ?? CODE_OF_STATUS[status] ?? 'injected_fault',
    type: 'api_error',
    asked: true,
    ...(message ? { message } : {}),
    headers: wait === undefined ? {} : { 'retry-after': String(wait) },
  });
}
