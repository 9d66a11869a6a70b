export type { ControlRecord } from '../../../client/wait-client.ts';
export type { LiveBatch, LiveNotice, RequestLine } from '../../../journal/live-batch.ts';

/** Records as the control surface answers them. Stamps named `created` are unix seconds of the emulator's clock. */
export interface Budget {
  credits: number;
  spent: number;
  left: number;
  /** How many requests would have exceeded it, and when the last one did. */
  refused: number;
  refused_at: number | null;
  since: number;
}

export interface Account {
  id: string;
  workspace_id: string;
  name: string | null;
  plan: 'payg' | 'hobby' | 'creator' | 'studio';
  role: 'owner' | 'admin' | 'member';
  credits: number;
  budget: Budget | null;
}

export interface LedgerEntry {
  id: string;
  type: 'grant' | 'charge' | 'refund' | 'top_up';
  amount: number;
  balance: number;
  operation: string | null;
  model: string | null;
  job_id: string | null;
  refund_of: string | null;
  created: number;
}

export interface Job {
  id: string;
  object: string;
  status: 'queued' | 'processing' | 'succeeded' | 'failed';
  model: string;
  created: number;
  account_id: string;
  credits: number;
  completed?: number;
  result_url?: string;
  content_type?: string;
  library_id?: string;
  error?: { code: string; message: string };
  /** Of an open one: when it is due (unix seconds), or what share of its polls there were. */
  progress?: {
    mode: 'render' | 'seconds' | 'polls' | 'manual';
    due: number | null;
    share: number | null;
  };
  [field: string]: unknown;
}

export interface EventRecord {
  id: string;
  type: string;
  created: number;
  account_id: string;
  envelope: { id: string; type: string; created: number; data: Record<string, unknown> };
  [field: string]: unknown;
}

export interface DeliveryRecord {
  id: string;
  event_id: string;
  type: string;
  url: string;
  status: string;
  [field: string]: unknown;
}

export interface RequestRecord {
  id: string;
  account_id: string | null;
  key_id: string | null;
  method: string;
  path: string;
  operation: string | null;
  status: number;
  created: number;
  duration_ms: number;
  retry_count: number;
  credits: number | null;
  /** Ids of what it led to. */
  charges: string[];
  job_ids: string[];
  run_id: string | null;
  event_ids: string[];
  delivery_ids: string[];
  fault?: string;
  warnings?: string;
  dropped?: string;
  request: string | null;
  answer: string | null;
  engine_prompt?: { role: string; text: string; images: number }[];
}

export interface ClockState {
  now: string;
  frozen: boolean;
}

/** What `GET /_emulator/explain/{id}` tells: what stands beside the text of a step is the same as data. */
export interface Explanation {
  id: string;
  account_id: string | null;
  summary: string;
  steps: ExplainedStep[];
}

export interface ExplainedStep {
  step: string;
  text: string;
  status?: string | number;
  struck?: string | null;
  error?: unknown;
}
