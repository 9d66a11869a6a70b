/** What an account may spend: credits, times in unix seconds. */
export interface Budget {
  credits: number;
  spent: number;
  left: number;
  /** How many requests would have exceeded it, and when the last one did. */
  refused: number;
  refused_at: number | null;
  since: number;
}

interface UsageSums {
  charges: number;
  refunds: number;
  charged: number;
  refunded: number;
  /** What it came to: charged less refunded. */
  credits: number;
}

/** What an account was charged, the dearest first. */
export interface UsageSummary {
  account_id: string;
  data: ({ operation: string; model: string | null } & UsageSums)[];
  total: UsageSums;
}

/** What became of one request: each step in words, and the same as data. */
export interface Explanation {
  id: string;
  account_id: string | null;
  summary: string;
  steps: ({ step: string; text: string } & Record<string, unknown>)[];
}

/** What a client did wrong, each with the requests that show it and what to do. */
export interface Verdict {
  ok: boolean;
  account_id: string | null;
  /** How many requests were looked at. */
  requests: number;
  findings: {
    finding:
      | 'retried_402'
      | 'ignored_retry_after'
      | 'paid_twice'
      | 'polled_too_often'
      | 'used_expired_url'
      | 'accepted_forgery'
      | 'slow_receiver';
    account_id: string;
    message: string;
    remedy: string;
    request_ids: string[];
    delivery_ids: string[];
  }[];
}

export type SqlParameter = string | number | null;

/** The rows of a statement; `truncated` where there were more than it answers. */
export interface SqlAnswer<Row = Record<string, unknown>> {
  columns: string[];
  rows: Row[];
  truncated: boolean;
  duration_ms: number;
}
