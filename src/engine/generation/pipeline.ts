import { hash } from 'node:crypto';
import { type Clock, waitUntil } from '../../base/clock/clock.ts';
import type { Config } from '../../base/config/config.ts';
import type { Database } from '../../base/database/database.ts';
import type { NotAPromise, Transaction } from '../../base/database/transaction.ts';
import { EmulatorError, InjectedFault } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import type { StoredFile } from '../../media/render-request.ts';
import type { Songwriter } from '../../media/songwriter/songwriter.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { injectedStatus } from '../faults/applied-fault.ts';
import { isFinal, type Job, type JobError } from '../jobs/job-store.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { type Entry, refund } from '../ledger/ledger.ts';
import { startStep } from '../orders/run-step-store.ts';
import type { CompletionWriter } from './completion-writer.ts';
import type { ContentPolicy } from './content-policy.ts';
import {
  decideWork,
  type Payer,
  type PlacedOrder,
  type Purchase,
  placeOrder,
  type RenderPurchase,
  type RequestPayer,
} from './place.ts';
import type { UnsentResults } from './unanswered-store.ts';

export interface Generation {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly mediaSize: Config['mediaSize'];
  readonly catalogue: Catalogue;
  readonly jobs: Jobs;
  readonly unanswered: UnsentResults;
  readonly policy: ContentPolicy;
  readonly completions: CompletionWriter;
  readonly songwriter: Songwriter;
}

export interface Usage {
  credits_spent: number;
  credits_remaining: number;
}

export interface PaidResult<Result> {
  result: Result;
  usage: Usage;
}

/** Orders jobs and resolves once the order is committed. */
export async function orderJobs(
  generation: Generation,
  purchase: RenderPurchase,
  payer: Payer,
): Promise<PaidResult<readonly Job[]>> {
  const order = await buyJobs(generation, purchase, payer);
  return paidResult(order, order.jobs);
}

async function buyJobs(generation: Generation, purchase: RenderPurchase, payer: Payer): Promise<PlacedOrder> {
  const { order } = await buy(generation, purchase, payer, (tx) => {
    return { order: placeOrder(tx, generation, payer, purchase) };
  });
  return order;
}

export interface FinishedRender {
  job: Job;
  file: StoredFile;
  url: string;
}

/** Orders a job and waits for its end. A failed render is refunded and returns 502. */
export async function awaitRender(
  generation: Generation,
  purchase: RenderPurchase,
  payer: RequestPayer,
): Promise<PaidResult<FinishedRender>> {
  const order = await buyJobs(generation, { ...purchase, isAwaited: true }, payer);
  const [ordered] = order.jobs;
  if (!ordered) throw new Error('an awaited render is one job');
  const job = isFinal(ordered.status) ? ordered : await generation.jobs.awaitEnd(ordered, payer.gone);
  const { outcome, result } = job;
  if (outcome && result && 'file' in outcome && 'result_url' in result) {
    return paidResult(order, { job, file: outcome.file, url: result.result_url });
  }
  throw awaitedFailure(job);
}

/**
 * Charges for work. Throws `content_blocked` or an injected status before any charge, `insufficient_credits`, or
 * `storage_full`. If it throws, no work has started.
 */
async function buy<Bought extends { order: PlacedOrder }>(
  { database }: Generation,
  { directives: { status }, blockedBeforeCharge }: Purchase,
  payer: Payer,
  work: (tx: Transaction) => NotAPromise<Bought>,
): Promise<Bought> {
  if (status !== undefined) throw injectedStatus(status);
  if (blockedBeforeCharge) throw blockedBeforeCharge;
  // A cancelled run must not start a step.
  if (payer.kind === 'run') payer.gone.throwIfAborted();
  const bought = await database.transact(work);
  payer.order = bought.order;
  return bought;
}

function paidResult<Result>({ charges }: PlacedOrder, result: Result): PaidResult<Result> {
  return {
    result,
    usage: { credits_spent: creditsOfCharges(charges), credits_remaining: charges.at(-1)?.balance ?? 0 },
  };
}

export function creditsOfCharges(charges: readonly Entry[]): number {
  return charges.reduce((total, entry) => total - entry.amount, 0);
}

function awaitedFailure({ outcome }: Job): Error {
  const error = outcome && 'error' in outcome ? outcome.error : undefined;
  if (error?.code === 'storage_full') return new EmulatorError('storage_full', error.message);
  return failedAnswer(error ?? { code: 'render_failed' });
}

function failedAnswer(error: Omit<JobError, 'message'> & { message?: string }): InjectedFault {
  return new InjectedFault({ ...error, status: 502, type: 'api_error' });
}

/** `readyAt` is the emulator's time in milliseconds. */
type TimedResult<Result> = { result: Result; readyAt: number } | { failure: Error; readyAt: number };

interface InstantPurchase<Result> extends Purchase {
  /** True if the result is stored, so that it is not lost with the response. */
  isKept?: boolean;
  /** The text of the result, as the output of a flow's step. */
  textOf?(result: Result): string;
}

/**
 * Charges and works in one transaction. A failure is refunded in the same transaction (502). A slow directive
 * delays the response until the client disconnects. For a step of a run, it sets `ready_at`.
 */
export async function doInstantWork<Result>(
  generation: Generation,
  purchase: InstantPurchase<Result>,
  payer: Payer,
  work: (tx: Transaction, charged: Entry) => Result,
): Promise<PaidResult<Result>> {
  const { directives, isKept = false } = purchase;
  const { fail, slowSeconds = 0 } = decideWork({
    directives,
    applied: payer.appliedFault,
    scripted: payer.scripted,
  });
  const isWaiting = slowSeconds > 0 && payer.kind === 'request';
  const isOwed = isWaiting && !fail && !isKept;
  const { order, charged, instant } = await buy(generation, purchase, payer, (tx) => {
    const placed = placeOrder(tx, generation, payer, purchase);
    const [charged] = placed.charges as [Entry];
    const readyAt = tx.now + slowSeconds * 1000;
    const instant: TimedResult<Result> = fail
      ? { failure: failedAnswer({ code: fail, asked: true }), readyAt }
      : { result: work(tx, charged), readyAt };
    if (fail) refund(tx, generation.random, charged);
    if (isOwed) generation.unanswered.owe(tx, charged);
    if (payer.kind === 'run') startStep(tx, payer, { outcome: outcomeOf(instant, purchase), readyAt });
    return { order: placed, charged, instant };
  });
  if (isWaiting) {
    const waiting = waitUntil(generation.clock, instant.readyAt, payer.gone);
    await (isOwed ? generation.unanswered.whileWaiting(charged, waiting, payer.gone) : waiting);
  }
  if ('failure' in instant) throw instant.failure;
  return paidResult(order, instant.result);
}

function outcomeOf<Result>(instant: TimedResult<Result>, { textOf = String }: InstantPurchase<Result>) {
  return 'failure' in instant ? { error: instant.failure.message } : { text: textOf(instant.result) };
}

/** Charges and refunds in one transaction, for work that is rejected after its charge. */
export async function chargeAndRefund(
  generation: Generation,
  purchase: Purchase,
  payer: Payer,
  failure: Error,
): Promise<never> {
  await buy(generation, purchase, payer, (tx) => {
    const order = placeOrder(tx, generation, payer, { ...purchase, isRefunded: true });
    for (const charged of order.charges) refund(tx, generation.random, charged);
    if (payer.kind === 'run') startStep(tx, payer, { outcome: { error: failure.message }, readyAt: tx.now });
    return { order };
  });
  throw failure;
}

/** The default seed, 0 to 4294967295. Equal requests have equal seeds. */
export function derivedSeed(...decisive: unknown[]): number {
  return Number.parseInt(hash('sha256', JSON.stringify(decisive), 'hex').slice(0, 8), 16);
}
