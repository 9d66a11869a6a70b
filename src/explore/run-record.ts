import type { Standstill } from './story-pace.ts';

/** A request as `GET /_emulator/requests` lists it, oldest first. */
export interface RequestRow {
  id: string;
  account_id: string | null;
  method: string;
  path: string;
  status: number;
  received_at: string;
  duration_ms: number;
  charges: string[];
  job_ids: string[];
  run_id?: string | null;
  request: string | null;
  answer: string | null;
  fault?: string;
  cut?: boolean;
  credits?: number | null;
  retry_count?: number;
}

export interface JobRow {
  id: string;
  object: string;
  status: string;
  take?: number;
  seed?: number;
  library_id?: string;
  account_id?: string;
}

export interface DeliveryRow {
  id: string;
  event_id: string;
  /** The run that it is about, if any. */
  run_id?: string | undefined;
  type: string;
  endpoint_id: string;
  url: string;
  status: string;
  fault: string | null;
  attempted_at: string | null;
  duration_ms: number | null;
  response_status: number | null;
  error: string | null;
}

export interface LedgerRow {
  id: string;
  type: string;
  amount: number;
  job_id: string | null;
}

export interface VerdictFinding {
  finding: string;
  message: string;
  remedy: string;
  request_ids: string[];
}

/** An account of a run; fixtures call that of a test as the test. */
export interface AccountRow {
  id: string;
  name: string;
}

/** All that is on record of one run, each list oldest first. */
export interface RunRecord {
  /** The accounts that asked for something; undefined where the world does not know them. */
  accounts?: AccountRow[];
  requests: RequestRow[];
  jobs: JobRow[];
  deliveries: DeliveryRow[];
  ledger: LedgerRow[];
  findings: VerdictFinding[];
}

/** One page of all that is on record of a run, or why there is none. */
export type RunTrace = { html: string } | { fault: string };

/** How a run went: what the story did, and what is on record of it. */
export interface Run {
  record: RunRecord;
  /** How the story ended: undefined where it ended well. */
  failure: { kind: 'exit' | 'hang'; message: string } | undefined;
  /** The last of what it printed. */
  output: string;
  /** The state that `--probe` printed. */
  probe: unknown;
  /** Why there is none, where the probe had printed one in an earlier run. */
  probeFault?: string | undefined;
  /** Why the user's own check failed. */
  check: string | undefined;
  /** Whether the app and the service came to rest after it. */
  rested: boolean;
  /** Machine's time in milliseconds: when what belongs to the run first stirred, when the story began, and the end. */
  made: number;
  began: number;
  ended: number;
  /** How long the story took. */
  ms: number;
  /** How long this process stood still meanwhile. */
  standstill?: Standstill;
  /** Where one was ordered, and the world keeps an emulator for each run. */
  trace?: RunTrace | undefined;
}
