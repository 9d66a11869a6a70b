import type { Caller } from '../accounts/account-store.ts';
import type { Transaction } from '../database/transaction.ts';
import type { AppliedFault } from '../faults/applied-fault.ts';
import type { Directives } from '../faults/directives.ts';
import type { PaidOperation } from '../faults/paid-work.ts';
import type { Entry } from '../ledger/ledger.ts';
import type { Scripted } from './scripted.ts';

/** What pure work came to; told once `readyAt` has come, in milliseconds of the emulator's clock. */
export type Instant<Result> = { result: Result; readyAt: number } | { failure: Error; readyAt: number };

/** What is told of an order in the transaction of its charges; without `instant` each charge names its job. */
export interface Beginning {
  charges: readonly Entry[];
  instant: Instant<unknown> | undefined;
}

/** Whoever pays, and from where; `gone` ends waiting that was asked for. */
export interface Payer {
  caller: Caller;
  /** URLs of the results are built on it. */
  baseUrl: string;
  gone: AbortSignal;
  /** The request that pays, or that started the run which does. */
  requestId?: string | null | undefined;
  /** What fault rules do to the work; none when undefined. */
  appliedFault?: AppliedFault | undefined;
  /** What a fixture answers in place of the work; none when undefined. */
  scripted?: Scripted | undefined;
  /** Where it is noted what was charged, once that is committed, and what it came to, once that is done. */
  facts?: { charges?: readonly Entry[]; credits?: number };
  /**
   * A flow's run keeps here how far it is; what it throws takes the charges back. No open call waits for what such a
   * payer orders, so its jobs outlive the process.
   */
  onStarted?: ((tx: Transaction, beginning: Beginning) => void) | undefined;
}

/** How the paid work is begun, in the transaction of its charges, and what it comes to after the commit. */
export interface Work<Started, Result> {
  /** Each charge becomes a job, whose id it carries. */
  jobs?: true;
  begin(tx: Transaction, charges: readonly Entry[]): Started;
  /** What was begun, where it is pure work. */
  instant?: (started: Started) => Instant<Result>;
  finish(started: Started): Result | Promise<Result>;
}

/** A validated and priced request. */
export interface Order<Started, Result> {
  operation: PaidOperation;
  model: string | null;
  /** One charge each, in credits: one for a request, one for every take of a song. */
  prices: readonly number[];
  directives: Directives;
  /** Refused by the content policy before anything is charged. */
  refusal?: Error | undefined;
  work: Work<Started, Result>;
}

/** The usage block of paid answers: both in credits. */
export interface Usage {
  credits_spent: number;
  credits_remaining: number;
}

export interface Paid<Result> {
  result: Result;
  usage: Usage;
}
