export interface StreamSpoiling {
  ttft_ms?: number;
  interval_ms?: number;
  cut_after?: number;
  malformed_at?: number;
  omit_done?: boolean;
}

/** What a rule does: one kind; `code` and `retry_after` belong to a status. */
export interface FaultEffect {
  status?: number;
  code?: string;
  retry_after?: number;
  delay_ms?: number;
  drop?: true;
  fail_job?: string;
  stream?: StreamSpoiling;
  webhook?: string;
  crash?: string;
}

export interface FaultMatch {
  path?: string;
  model?: string;
  contains?: string;
  account_id?: string;
}

export interface FaultOrder {
  match: FaultMatch;
  effect: FaultEffect;
  /** 0: until it is deleted. */
  times: number;
  probability?: number;
  ttl_seconds?: number;
}

export interface FaultRecord extends FaultOrder {
  id: string;
  strikes: number;
  remaining: number | null;
  probability: number;
  created: number;
  expires: number | null;
}

export type { SavedSnapshot as SnapshotRecord } from '../../../control/snapshot-control.ts';
