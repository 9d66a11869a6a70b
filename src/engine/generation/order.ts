import type { Transaction } from '../../base/database/transaction.ts';
import type { GivenFile, RenderRequest } from '../../media/render-request.ts';
import type { Caller } from '../accounts/account-store.ts';
import type { PriceLine } from '../catalogue/catalogue.ts';
import type { AppliedFault } from '../faults/applied-fault.ts';
import type { Directives } from '../faults/directives.ts';
import type { PaidOperation } from '../faults/paid-work.ts';
import type { Entry } from '../ledger/ledger.ts';

/** A validated and priced request. */
export interface PaidOrder<Started, Result> {
  operation: PaidOperation;
  model: string | null;
  /** The lines that the price of each charge is the sum of. */
  lines: readonly PriceLine[];
  /** How many charges: one for a request, one for every take of a song. */
  charges?: number;
  directives: Directives;
  /** Set when the content policy refuses the request before anything is charged. */
  refusal?: Error | undefined;
  work: Work<Started, Result>;
}

/** The paid work: `begin` runs in the transaction of the charges, `finish` after its commit. */
export interface Work<Started, Result> {
  /** Each charge becomes a job, whose id it carries. */
  jobs?: true;
  begin(tx: Transaction, charges: readonly Entry[]): Started;
  /** The result of pure work, which is done in `begin`. */
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

/** The caller that pays. */
export interface PayingCall {
  caller: Caller;
  /** The base of the URLs of results. */
  baseUrl: string;
  /** Aborts when the client hangs up; ends waits. */
  gone: AbortSignal;
  /** The request that pays, or that started the run. */
  requestId?: string | null | undefined;
  /** The faults that rules apply to the work; none when undefined. */
  appliedFault?: AppliedFault | undefined;
  /** The answer of a fixture in place of the work; none when undefined. */
  scripted?: Scripted | undefined;
  /** Called once the charges are committed. */
  onCharged?: ((charges: readonly Entry[]) => void) | undefined;
  /** Called with the credits once the work is done. */
  onPaid?: ((credits: number) => void) | undefined;
  /**
   * Called for a run of a flow, which stores its progress here; if it throws, the charges are rolled back. No open call
   * waits for the jobs of such a payer, so they outlive the process.
   */
  onStarted?: ((tx: Transaction, beginning: Beginning) => void) | undefined;
}

/** The usage block of paid answers: both in credits. */
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
  /** A reply, or a transcript. */
  text?: string;
  /** The same reply as it is streamed. */
  pieces?: readonly ScriptedPiece[];
  /** What the songwriter would have written. */
  song?: { lyrics?: string | undefined; title?: string | undefined; style?: string | undefined };
  /** The finished file. */
  media?: GivenFile;
  /** The work fails with this code; its charge is refunded. */
  fail?: string;
}

/** The scripted answer of one request. */
export interface Scripted extends ScriptedAnswer {
  /** Id of the fixture. */
  readonly fixture: string;
}

/** One file to be rendered. */
export interface OrderedTake {
  parameters: Record<string, unknown>;
  render: RenderRequest;
  take?: number;
  seed?: number;
  /** The error code with which it fails, unless a directive gives another. */
  failWith?: string | undefined;
}

/** What an order costs. */
export interface ChargeOrder {
  accountId: string;
  operation: PaidOperation;
  model: string | null;
  /** Credits of each charge. */
  prices: readonly number[];
  /** The lines of each price. */
  lines: readonly PriceLine[];
  /** What of a price is for keeping the result. */
  stored: number;
  requestId: string | null;
  /** Each charge is for a job, whose id it carries. */
  ofJobs: boolean;
}

/** The nth entry of an account. */
export type Charged = Pick<Entry, 'accountId' | 'n'>;
