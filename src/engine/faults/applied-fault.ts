import { InjectedFault } from '../../base/errors.ts';
import type { WebhookFault } from './delivery-faults.ts';

/** When a job appears final to clients that read it. */
export const JOB_PACES = ['instant', 'late', 'unpolled'] as const;
export type JobPace = (typeof JOB_PACES)[number];

/** The points of the pipeline at which the process can end. */
export const CRASH_POINTS = ['after_charge', 'after_work', 'after_settle', 'before_delivery'] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number];

/** How the content of a reply is corrupted. */
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
  /** The URL has expired, from now on. */
  expired?: true;
  truncate_at?: number;
  bytes_per_second?: number;
  content_type?: string;
  flip_bytes?: number;
  /** The Content-Length of the answer. */
  wrong_length?: number;
}

/** What fault rules and the latency profile do to one request, decided when it arrives. */
export interface AppliedFault {
  /** The rules whose use is given back if the work never starts. */
  rules: readonly string[];
  /** Called when the work starts: the use of a rule on work that never starts is given back. */
  onStarted?(): void;
  /** The work fails with this code, unless a rule gives one of its takes another; its charge is refunded. */
  fail?: string;
  /** The work takes at least this long, in seconds of the emulator's clock. */
  slowSeconds?: number;
  /** How long a stream takes after its first piece, in seconds of the emulator's clock. */
  spreadSeconds?: number;
  stream?: StreamFault;
  reply?: ReplyFault;
  /** What happens to the answer once the work is done. */
  answer?: 'lost' | 'swapped';
  /** The hold that catches the answer. */
  hold?: string;
  cdn?: CdnFault;
  /** The faults of each take, in order; work without takes has one. */
  takes?: readonly TakeFault[];
}

/** The fault of one take, which is kept with its job. */
export interface TakeFault {
  /** It fails with this code. */
  fail?: string;
  faults?: JobFaults;
}

/** The faults that a job carries. */
export interface JobFaults {
  webhook?: WebhookFault;
  pace?: JobPace;
  /** The hold that catches the deliveries of its event. */
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
