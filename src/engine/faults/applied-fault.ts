import { InjectedFault } from '../../base/errors.ts';
import type { CompatibleChange } from './compatible-changes.ts';
import type { WebhookFault } from './webhook-fault-table.ts';

export const JOB_PACES = ['instant', 'late', 'late_end', 'unpolled'] as const;
export type JobPace = (typeof JOB_PACES)[number];

export const REPLY_FAULTS = ['refusal', 'empty', 'broken_json', 'markup', 'other_language', 'echo', 'cut'] as const;
export type ReplyFault = (typeof REPLY_FAULTS)[number];

/** By code points, so that no character is split. */
export function firstHalf(text: string): string {
  const points = [...text];
  return points.slice(0, Math.ceil(points.length / 2)).join('');
}

/** Milliseconds of real time; events count from 1. */
export interface StreamFault {
  ttft_ms?: number;
  interval_ms?: number;
  cut_after?: number;
  malformed_at?: number;
  omit_done?: boolean;
}

/** Bytes. */
export interface CdnFault {
  expired?: true;
  truncate_at?: number;
  bytes_per_second?: number;
  content_type?: string;
  flip_bytes?: number;
  wrong_length?: number;
}

export interface AppliedFault {
  /** Rules whose use is returned if the work never starts. */
  rules: readonly string[];
  fail?: string;
  /** Seconds of the emulator's clock. */
  slowSeconds?: number;
  /** The time after the first piece, in seconds of the emulator's clock. */
  spreadSeconds?: number;
  stream?: StreamFault;
  reply?: ReplyFault;
  answer?: 'lost' | 'swapped';
  hold?: string;
  cdn?: CdnFault;
  change?: CompatibleChange;
  takes?: readonly TakeFault[];
}

export interface TakeFault {
  fail?: string;
  faults?: JobFaults;
}

export interface JobFaults {
  webhook?: WebhookFault;
  pace?: JobPace;
  change?: CompatibleChange;
  hold?: string;
}

const CODE_OF_STATUS: Record<number, string> = {
  402: 'insufficient_credits',
  408: 'timeout',
  409: 'conflict',
  429: 'rate_limited',
};

/** `retryAfter` is in seconds. */
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
