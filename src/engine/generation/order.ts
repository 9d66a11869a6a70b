import type { Transaction } from '../../base/database/transaction.ts';
import type { GivenFile } from '../../media/render-request.ts';
import type { Caller } from '../accounts/account-store.ts';
import type { PriceLine } from '../catalogue/catalogue.ts';
import type { AppliedFault } from '../faults/applied-fault.ts';
import type { PaidOperation } from '../faults/paid-work.ts';
import type { Entry } from '../ledger/ledger.ts';

/** `readyAt` is the emulator's time in milliseconds. */
export type Instant<Result> = { result: Result; readyAt: number } | { failure: Error; readyAt: number };

/** Without `instant`, each charge names its job. */
export interface Beginning {
  charges: readonly Entry[];
  instant?: Instant<unknown> | undefined;
}

export interface PayingCall {
  caller: Caller;
  baseUrl: string;
  /** Aborts if the client disconnects, and ends waits. */
  gone: AbortSignal;
  requestId?: string | null | undefined;
  appliedFault?: AppliedFault | undefined;
  scripted?: Scripted | undefined;
  onCharged?: ((charges: readonly Entry[]) => void) | undefined;
  onPaid?: ((credits: number) => void) | undefined;
  /**
   * Stores the progress of a run. If it throws, the charges are rolled back. No open call waits for the jobs, so they
   * outlive the process.
   */
  onStarted?: ((tx: Transaction, beginning: Beginning) => void) | undefined;
}

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

export interface Scripted extends ScriptedAnswer {
  readonly fixture: string;
}

export interface ChargeOrder {
  accountId: string;
  operation: PaidOperation;
  model: string | null;
  prices: readonly number[];
  lines: readonly PriceLine[];
  /** The part of the price for storage. */
  stored: number;
  requestId: string | null;
  ofJobs: boolean;
}
