import { hash } from 'node:crypto';
import { type Clock, until } from '../../base/clock/clock.ts';
import type { Config } from '../../base/config/config.ts';
import type { Database } from '../../base/database/database.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { EmulatorError, InjectedFault } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import type { RenderRequest } from '../../media/render-request.ts';
import { sizedRender } from '../../media/request-measures.ts';
import { type Catalogue, type PriceLine, price, STORE } from '../catalogue/catalogue.ts';
import { injectedStatus } from '../faults/applied-fault.ts';
import { type Directives, failureOf } from '../faults/directives.ts';
import type { PaidOperation } from '../faults/paid-work.ts';
import {
  type FinishedFile,
  isFinal,
  type Job,
  type JobError,
  type Medium,
  type NewJob,
  orderedJob,
} from '../jobs/job.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { type Entry, refund } from '../ledger/ledger.ts';
import { chargeAll } from './charges.ts';
import type { CompletionWriter } from './completion-writer.ts';
import type { ContentPolicy } from './content-policy.ts';
import type { ChargeOrder, Instant, PaidResult, PayingCall } from './order.ts';
import type { Songwriter } from './songwriter/songwriter.ts';
import type { UnansweredCalls } from './unanswered-store.ts';

export interface Generation {
  readonly database: Database;
  readonly clock: Clock;
  readonly mediaSize: Config['mediaSize'];
  readonly catalogue: Catalogue;
  readonly random: Random;
  readonly jobs: Jobs;
  readonly unanswered: UnansweredCalls;
  readonly policy: ContentPolicy;
  readonly completions: CompletionWriter;
  readonly songwriter: Songwriter;
}

/**
 * Charging and the beginning of the work are one transaction. The work either ends in it (`workAtOnce`), or is a job that
 * renders a file and is settled later (`orderJobs`, `awaitRender`).
 */
export interface PaidOrder {
  operation: PaidOperation;
  model: string | null;
  /** The price of one charge. */
  lines: readonly PriceLine[];
  /** By default one. */
  chargeCount?: number;
  /** Each charge names its job. */
  ofJobs?: boolean;
  directives: Directives;
  refusal?: Error | undefined;
}

export interface OrderedTake {
  parameters: Record<string, unknown>;
  render: RenderRequest;
  take?: number;
  seed?: number;
  /** A directive overrides this error code. */
  failWith?: string | undefined;
}

/** Each take is a job with its own charge. */
interface RenderOrder extends PaidOrder {
  medium: Medium;
  model: string;
  store: boolean;
  takes: readonly OrderedTake[];
}

export async function orderJobs(
  generation: Generation,
  order: RenderOrder,
  payer: PayingCall,
): Promise<PaidResult<Job[]>> {
  const { charges, started } = await beginJobs({ generation, order, payer, waiter: payer.onStarted ? 'run' : null });
  return paidResult(payer, charges, started);
}

export interface AwaitedRender {
  job: Job;
  file: FinishedFile;
  url: string;
}

/** A failed render is refunded and returns 502. */
export async function awaitRender(
  generation: Generation,
  order: RenderOrder,
  payer: PayingCall,
): Promise<PaidResult<AwaitedRender>> {
  // Only the steps of a run have `onStarted`.
  const { charges, started } = await beginJobs({ generation, order, payer, waiter: payer.onStarted ? 'run' : 'call' });
  const [ordered] = started;
  if (!ordered) throw new Error('an awaited render is one job');
  const job = isFinal(ordered.status) ? ordered : await generation.jobs.awaitEnd(ordered, payer.gone);
  const { outcome, result } = job;
  if (outcome && result && 'file' in outcome && 'result_url' in result) {
    return paidResult(payer, charges, { job, file: outcome, url: result.result_url });
  }
  throw awaitedFailure(job);
}

interface Ordering {
  generation: Generation;
  order: RenderOrder;
  payer: PayingCall;
  waiter: Job['waiter'];
}

function beginJobs(ordering: Ordering) {
  const { generation, order, payer } = ordering;
  const ofTakes = { ...order, chargeCount: order.takes.length, ofJobs: true };
  return chargeAndBegin(generation, ofTakes, payer, (tx, charges) => {
    payer.appliedFault?.keepUse?.();
    const jobs = generation.jobs.order(tx, jobsOf(tx, ordering, charges));
    payer.onStarted?.(tx, { charges });
    return jobs;
  });
}

/**
 * Throws `content_blocked` or an injected status before any charge, `insufficient_credits` if the balance is too low for
 * the whole order, and `storage_full`. Then no work has started.
 */
async function chargeAndBegin<Started>(
  generation: Generation,
  order: PaidOrder,
  payer: PayingCall,
  begin: (tx: Transaction, charges: readonly Entry[]) => Started,
): Promise<{ charges: readonly Entry[]; started: Started }> {
  const chargeOrder = chargeOrderOf(order, payer);
  const { status } = order.directives;
  if (status !== undefined) throw injectedStatus(status);
  if (order.refusal) throw order.refusal;
  const begun = await generation.database.transact((tx) => {
    const charges = chargeAll(tx, generation.random, chargeOrder);
    return { charges, started: begin(tx, charges) };
  });
  payer.onCharged?.(begun.charges);
  return begun;
}

function chargeOrderOf(order: PaidOrder, { caller, requestId = null }: PayingCall): ChargeOrder {
  const { operation, model, lines, chargeCount = 1, ofJobs = false } = order;
  const prices = Array.from({ length: chargeCount }, () => price(lines));
  const stored = price(lines.filter((line) => line.for === STORE));
  const { accountId } = caller;
  return { accountId, operation, model, prices, lines, stored, requestId, ofJobs };
}

function jobsOf(tx: Transaction, { generation, order, payer, waiter }: Ordering, charges: readonly Entry[]): NewJob[] {
  const { appliedFault, scripted } = payer;
  const slow = order.directives.slowSeconds ?? appliedFault?.slowSeconds;
  const readyAt = slow === undefined ? null : tx.now + slow * 1000;
  return order.takes.map((take, position) => {
    const charge = charges[position];
    if (!charge?.jobId) throw new Error('every take has a charge that names its job');
    const applied = appliedFault?.takes?.[position];
    const asked = order.directives.fail && failureOf(order.directives, take.take);
    const ordered = {
      id: charge.jobId,
      accountId: payer.caller.accountId,
      workspaceId: payer.caller.workspaceId,
      medium: order.medium,
      model: order.model,
      waiter,
      requestId: payer.requestId ?? null,
      take: take.take ?? null,
      seed: take.seed ?? null,
      failWith: asked ?? take.failWith ?? applied?.fail ?? appliedFault?.fail ?? scripted?.fail ?? null,
      readyAt,
      parameters: take.parameters,
      render: scripted?.media ?? sizedRender(take.render, order.directives, generation.mediaSize),
      store: order.store,
      credits: -charge.amount,
      charge: charge.n,
      baseUrl: payer.baseUrl,
      faults: applied?.faults ?? null,
    };
    const { pace } = ordered.faults ?? {};
    // Both are final once they have an outcome. They differ only in the shown state.
    return { ...orderedJob(ordered, tx.now), released: pace === 'instant' || pace === 'unpolled' };
  });
}

function paidResult<Result>(payer: PayingCall, charges: readonly Entry[], result: Result): PaidResult<Result> {
  const spent = charges.reduce((total, entry) => total - entry.amount, 0);
  payer.onPaid?.(spent);
  return { result, usage: { credits_spent: spent, credits_remaining: charges.at(-1)?.balance ?? 0 } };
}

function awaitedFailure({ outcome }: Job): Error {
  const error = outcome && 'error' in outcome ? outcome.error : undefined;
  if (error?.code === 'storage_full') return new EmulatorError('storage_full', error.message);
  return failedAnswer(error ?? { code: 'render_failed' });
}

function failedAnswer(error: Omit<JobError, 'message'> & { message?: string }): InjectedFault {
  return new InjectedFault({ ...error, status: 502, type: 'api_error' });
}

interface InstantOrder extends PaidOrder {
  /** True if the result is stored, and so does not depend on the response. */
  keeps?: boolean;
}

/**
 * Charge, work and settlement in one transaction. A failure is refunded in the same transaction (502). A slow directive
 * delays the response, until the client disconnects.
 */
export async function workAtOnce<Result>(
  generation: Generation,
  order: InstantOrder,
  payer: PayingCall,
  work: (tx: Transaction, charged: Entry) => Result,
): Promise<PaidResult<Result>> {
  const { appliedFault, scripted } = payer;
  const { directives, keeps = false } = order;
  const applied = appliedFault?.takes?.[0];
  const fail = failureOf(directives) ?? applied?.fail ?? appliedFault?.fail ?? scripted?.fail;
  const slowSeconds = directives.slowSeconds ?? appliedFault?.slowSeconds ?? 0;
  const isOwed = slowSeconds > 0 && !fail && !keeps && !payer.onStarted;
  const { charges, started } = await chargeAndBegin(generation, order, payer, (tx, charges) => {
    const [charge] = charges;
    if (!charge) throw new Error('instant work has one charge');
    appliedFault?.keepUse?.();
    const readyAt = tx.now + slowSeconds * 1000;
    const instant: Instant<Result> = fail
      ? { failure: failedAnswer({ code: fail, asked: true }), readyAt }
      : { result: work(tx, charge), readyAt };
    if (fail) refund(tx, generation.random, charge);
    if (isOwed) generation.unanswered.owe(tx, charge);
    payer.onStarted?.(tx, { charges, instant });
    return { charge, instant };
  });
  const { charge, instant } = started;
  if (slowSeconds > 0) {
    const waiting = until(generation.clock, instant.readyAt, payer.gone);
    await (isOwed ? generation.unanswered.whileWaiting(charge, waiting, payer.gone) : waiting);
  }
  if ('failure' in instant) throw instant.failure;
  return paidResult(payer, charges, instant.result);
}

/** Charges and refunds in one transaction. */
export async function chargeAndRefuse(
  generation: Generation,
  order: PaidOrder,
  payer: PayingCall,
  failure: Error,
): Promise<never> {
  await chargeAndBegin(generation, order, payer, (tx, charges) => {
    for (const charged of charges) refund(tx, generation.random, charged);
    payer.onStarted?.(tx, { charges, instant: { failure, readyAt: tx.now } });
  });
  throw failure;
}

/** The default seed, 0 to 4294967295. Equal requests have equal seeds. */
export function derivedSeed(...decisive: unknown[]): number {
  return Number.parseInt(hash('sha256', JSON.stringify(decisive), 'hex').slice(0, 8), 16);
}
