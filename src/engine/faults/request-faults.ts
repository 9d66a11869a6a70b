import { ResponseError } from '../../base/errors.ts';
import type { CompatibleChange } from './compatible-changes.ts';
import type { DeliveryFault } from './delivery-fault-table.ts';

export const JOB_PACES = ['instant', 'late', 'late_end', 'unpolled'] as const;
export type JobPace = (typeof JOB_PACES)[number];

export const REPLY_FAULTS = ['refusal', 'empty', 'broken_json', 'markup', 'other_language', 'echo', 'cut'] as const;
export type ChatReplyFault = (typeof REPLY_FAULTS)[number];

/** Returns the first half of a text. Counts code points, so that no surrogate pair is cut. */
export function firstHalf(text: string): string {
  const points = [...text];
  return points.slice(0, Math.ceil(points.length / 2)).join('');
}

/** Times are milliseconds of real time; events count from 1. */
export interface StreamFault {
  ttft_ms?: number;
  interval_ms?: number;
  cut_after?: number;
  malformed_at?: number;
  omit_done?: boolean;
}

/** Numbers count bytes. */
export interface CdnFault {
  expired?: true;
  truncate_at?: number;
  bytes_per_second?: number;
  content_type?: string;
  flip_bytes?: number;
  wrong_length?: number;
}

export interface RequestFaults {
  /**
   * The rules that change the work, the response or the events. Their uses are uncounted if the request is rejected, or
   * refunded at once, before its work.
   */
  ruleIds: readonly string[];
  /** Set by the latency profile. Rules set `fail` of `jobs`. */
  fail?: string;
  /** The delay of the result, in seconds of the emulator's clock. */
  slowSeconds?: number;
  /** How long the pieces of a stream after the first one take, in seconds of the emulator's clock. */
  spreadSeconds?: number;
  stream?: StreamFault;
  reply?: ChatReplyFault;
  answer?: 'lost' | 'swapped';
  hold?: string;
  cdn?: CdnFault;
  change?: CompatibleChange;
  /** The faults of each job, by the index of the job in the order. */
  jobs?: readonly JobFaults[];
}

export interface JobFaults {
  fail?: string;
  webhook?: DeliveryFault;
  pace?: JobPace;
  change?: CompatibleChange;
  hold?: string;
}

export function mergeRequestFaults(
  one: RequestFaults | undefined,
  other: RequestFaults | undefined,
): RequestFaults | undefined {
  if (!one || !other) return one ?? other;
  const [{ jobs: own = [] }, { jobs: more = [] }] = [one, other];
  const count = Math.max(own.length, more.length);
  const jobs = Array.from({ length: count }, (_, at) => ({ ...own[at], ...more[at] }));
  return { ...one, ...other, ruleIds: [...one.ruleIds, ...other.ruleIds], jobs };
}

export function jobFaultsExceptFailure({ jobs }: RequestFaults, at: number): Omit<JobFaults, 'fail'> | null {
  const { fail: _fail, ...others } = jobs?.[at] ?? {};
  return Object.keys(others).length === 0 ? null : others;
}

const CODE_OF_STATUS: Record<number, string> = {
  402: 'insufficient_credits',
  408: 'timeout',
  409: 'conflict',
  429: 'rate_limited',
};

/** `retryAfter` is in seconds. */
export function injectedStatusError(
  status: number,
  code?: string,
  retryAfter?: number,
  message?: string,
): ResponseError {
  const wait = retryAfter ?? (status === 429 ? 1 : undefined);
  return new ResponseError({
    status,
    code: code ?? CODE_OF_STATUS[status] ?? 'injected_fault',
    type: 'api_error',
    asked: true,
    ...(message ? { message } : {}),
    headers: wait === undefined ? {} : { 'retry-after': String(wait) },
  });
}
