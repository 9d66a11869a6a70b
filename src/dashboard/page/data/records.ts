import type { JournalledRequest } from '../../../client/emulator-client.ts';
import type { Budget, Explanation as Told } from '../../../client/story-shapes.ts';

export type { ControlRecord } from '../../../client/wait-client.ts';
export type { LiveBatch, LiveNotice, RequestLine } from '../../../journal/live-batch.ts';

/** Records as the control surface answers them. Stamps named `created` are unix seconds of the emulator's clock. */
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

export interface RequestRecord extends JournalledRequest {
  key_id: string | null;
  run_id: string | null;
  warnings?: string;
  dropped?: string;
  engine_prompt?: { role: string; text: string; images: number }[];
}

export interface ClockState {
  now: string;
  frozen: boolean;
}

/** What became of a request: what stands beside the text of a step is the same as data. */
export interface Explanation extends Omit<Told, 'steps'> {
  steps: ExplainedStep[];
}

export interface ExplainedStep {
  step: string;
  text: string;
  status?: string | number;
  struck?: string | null;
  error?: unknown;
}
