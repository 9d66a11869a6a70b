import type { Transaction } from '../../base/database/transaction.ts';
import type { GivenFile, RenderRequest } from '../../media/render-request.ts';
import type { Caller } from '../accounts/account-store.ts';
import type { PriceLine } from '../catalogue/catalogue.ts';
import type { AppliedFault } from '../faults/applied-fault.ts';
import type { Directives } from '../faults/directives.ts';
import type { PaidOperation } from '../faults/paid-work.ts';
import type { Entry } from '../ledger/ledger.ts';

export interface PaidOrder<Started, Result> {
  operation: PaidOperation;
  model: string | null;
  lines: readonly PriceLine[];
  charges?: number;
  directives: Directives;
  refusal?: Error | undefined;
  work: Work<Started, Result>;
}

/** The paid work: `begin` runs in the transaction of the charges, `finish` after its commit. */
export interface Work<Started, Result> {
  jobs?: true;
  begin(tx: Transaction, charges: readonly Entry[]): Started;
  instant?: (started: Started) => Instant<Result>;
  finish(started: Started): Result | Promise<Result>;
}

/** The result of pure work, which is answered at `readyAt`: milliseconds of the emulator's clock. */
export type Instant<Result> = { result: Result; readyAt: number } | { failure: Error; readyAt: number };

/** What `onStarted` gets in the transaction of the charges; without `instant`, each charge names its job. */
export interface Beginning {
  charges: readonly Entry[];
  instant: Instant<unknown> | undefined;
}

export interface PayingCall {
  caller: Caller;
  baseUrl: string;
  /** Aborts when the client hangs up; ends waits. */
  gone: AbortSignal;
  requestId?: string | null | undefined;
  appliedFault?: AppliedFault | undefined;
  scripted?: Scripted | undefined;
  onCharged?: ((charges: readonly Entry[]) => void) | undefined;
  onPaid?: ((credits: number) => void) | undefined;
  /**
   * Called for a run of a flow, which stores its progress here; if it throws, the charges are rolled back. No open call
   * waits for the jobs of such a payer, so they outlive the process.
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

/** A piece of a scripted reply and the milliseconds of real time before it. */
export interface ScriptedPiece {
  text: string;
  delayMs: number;
}

/** What a fixture answers in place of the work's own result; missing parts are made as usual. */
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

export interface OrderedTake {
  parameters: Record<string, unknown>;
  render: RenderRequest;
  take?: number;
  seed?: number;
  /** The error code with which it fails, unless a directive gives another. */
  failWith?: string | undefined;
}

export interface ChargeOrder {
  accountId: string;
  operation: PaidOperation;
  model: string | null;
  prices: readonly number[];
  lines: readonly PriceLine[];
  /** What of a price is for keeping the result. */
  stored: number;
  requestId: string | null;
  ofJobs: boolean;
}

export type Charged = Pick<Entry, 'accountId' | 'n'>;
