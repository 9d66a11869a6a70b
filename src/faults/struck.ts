/** How one delivery is spoilt. */
export const WEBHOOK_FAULTS = ['late', 'duplicate', 'reorder', 'bad_signature', 'old_timestamp', 'drop'] as const;
export type WebhookFault = (typeof WEBHOOK_FAULTS)[number];

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

/** What fault rules and a latency profile do to the work of one request, decided when it came in. */
export interface Struck {
  /** The rule that struck; none when a latency profile alone did. */
  rule?: string;
  /** True once the work that suffers it has begun: a strike on work that never begins is given back. */
  begun?: boolean;
  /** The work fails with this code; its charge is refunded. */
  fail?: string;
  /** The work takes at least this long, in seconds of the emulator's clock. */
  slowSeconds?: number;
  /** How long the pieces of a stream take after its first, in seconds of the emulator's clock. */
  spreadSeconds?: number;
  stream?: StreamFault;
  /** Kept with each job that the request starts. */
  job?: JobFaults;
}

/** What a job carries on its way. */
export interface JobFaults {
  webhook?: WebhookFault;
  /** Taken off, and that committed, before the process dies of it. */
  crash?: CrashPoint;
}

/** Ends the process at once, as a crash does: nothing after it runs. */
export type Die = () => never;
