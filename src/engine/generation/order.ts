import type { GivenFile } from '../../media/render-request.ts';
import type { Caller } from '../accounts/account-store.ts';
import type { AppliedFault } from '../faults/applied-fault.ts';
import type { Job } from '../jobs/job-store.ts';
import type { Entry } from '../ledger/ledger.ts';

/** `readyAt` is the emulator's time in milliseconds. */
export type TimedResult<Result> = { result: Result; readyAt: number } | { failure: Error; readyAt: number };

/** An order that is committed. */
export interface PlacedOrder {
  charges: readonly Entry[];
  jobs: readonly Job[];
  /** Null if nothing was decided for its work, or if it was refused. */
  faults: AppliedFault | null;
}

interface Paying {
  readonly caller: Caller;
  readonly baseUrl: string;
  readonly requestId: string | null;
  /** Aborts if the client disconnects or the run is cut short, and ends waits. */
  readonly gone: AbortSignal;
  appliedFault?: AppliedFault | undefined;
  scripted?: ScriptedByFixture | undefined;
  /** Set once it is committed. */
  order?: PlacedOrder | undefined;
}

export interface RequestPayer extends Paying {
  readonly kind: 'request';
}

/** Nothing waits in the pipeline for the work of a step. */
export interface RunPayer extends Paying {
  readonly kind: 'run';
  readonly runId: string;
  readonly step: number;
}

export type Payer = RequestPayer | RunPayer;

export interface Usage {
  credits_spent: number;
  credits_remaining: number;
}

export interface PaidResult<Result> {
  result: Result;
  usage: Usage;
}

/** With the milliseconds of real time before it. */
export interface ScriptedPiece {
  text: string;
  delayMs: number;
}

/** Missing parts are generated as usual. */
export interface ScriptedAnswer {
  text?: string;
  pieces?: readonly ScriptedPiece[];
  song?: { lyrics?: string | undefined; title?: string | undefined; style?: string | undefined };
  media?: GivenFile;
  fail?: string;
}

export interface ScriptedByFixture extends ScriptedAnswer {
  readonly fixture: string;
}
