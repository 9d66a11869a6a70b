import { hash } from 'node:crypto';
import type { Clock } from '../../base/clock/clock.ts';
import type { Config } from '../../base/config/config.ts';
import type { Database } from '../../base/database/database.ts';
import { nextId } from '../../base/database/id-store.ts';
import type { NotAPromise, Transaction } from '../../base/database/transaction.ts';
import { EmulatorError, ResponseError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import type { RenderRequest, ScriptedMediaFile, StoredFile } from '../../media/render-request.ts';
import { withTargetFileSize } from '../../media/request-measures.ts';
import type { ScriptedSong, Songwriter } from '../../media/songwriter/songwriter.ts';
import type { Caller } from '../accounts/key-store.ts';
import { type Catalogue, type PaidOperation, type PriceLine, sumPriceLines } from '../catalogue/catalogue.ts';
import type { Directives } from '../faults/directives.ts';
import {
  injectedStatusError,
  type JobFaults,
  jobFaultsExceptFailure,
  type RequestFaults,
} from '../faults/request-faults.ts';
import {
  isFinal,
  type Job,
  type JobError,
  type MediaKind,
  type NewJob,
  newQueuedJob,
  readProgression,
} from '../jobs/job-store.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { balanceOf, charge, type Entry, insufficientCreditsError } from '../ledger/ledger.ts';
import { orders } from '../orders/order-store.ts';
import { startRunStep } from '../orders/run-step-store.ts';
import type { CompletionWriter, ScriptedText } from './completion-writer.ts';
import type { ContentPolicy } from './content-policy.ts';
import type { UnansweredCharges } from './unanswered-store.ts';

export interface GenerationContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly mediaSize: Config['mediaSize'];
  readonly catalogue: Catalogue;
  readonly jobs: Jobs;
  readonly unanswered: UnansweredCharges;
  readonly policy: ContentPolicy;
  readonly completions: CompletionWriter;
  readonly songwriter: Songwriter;
}

export interface CreditUsage {
  credits_spent: number;
  credits_remaining: number;
}

export interface PaidResult<Result> {
  result: Result;
  usage: CreditUsage;
}

export interface PlacedOrder {
  charges: readonly Entry[];
  jobs: readonly Job[];
  /** The faults of the request. Null if there are none, or if the order was refunded at once. */
  faults: RequestFaults | null;
}

interface Paying {
  readonly caller: Caller;
  readonly baseUrl: string;
  readonly requestId: string | null;
  /** Aborts if the client disconnects, the run is cancelled, or the emulator stops or resets. This ends waits. */
  readonly gone: AbortSignal;
  faults?: RequestFaults | undefined;
  scripted?: ScriptedAnswerWithId | undefined;
  order?: PlacedOrder | undefined;
}

export interface RequestPayer extends Paying {
  readonly kind: 'request';
}

export interface FlowRunPayer extends Paying {
  readonly kind: 'run';
  readonly runId: string;
  readonly step: number;
}

export type Payer = RequestPayer | FlowRunPayer;

export interface ScriptedAnswer extends ScriptedText {
  song?: ScriptedSong;
  media?: ScriptedMediaFile;
  fail?: string;
}

export interface ScriptedAnswerWithId extends ScriptedAnswer {
  readonly fixture: string;
}

export interface Purchase {
  operation: PaidOperation;
  model: string | null;
  lines: readonly PriceLine[];
  count?: number;
  directives: Directives;
  /**
   * The error of a song whose request is blocked by the content policy or a directive. It is thrown before the charge.
   */
  blockedBeforeCharge?: Error | undefined;
  /** The order is charged and refunded in one transaction, so that no work starts. */
  isRefunded?: true;
}

export interface RenderPurchase extends Purchase {
  medium: MediaKind;
  model: string;
  store: boolean;
  renders: readonly RenderToOrder[];
  /** Set if a call waits for the file. */
  isAwaited?: true;
}

export interface RenderToOrder {
  /** The record of the job shows these fields. */
  parameters: Record<string, unknown>;
  request: RenderRequest;
  /** The take of a song, from 1. */
  take?: number;
  seed?: number;
  /** The error code of a render that cannot succeed. The code of a directive takes precedence. */
  failWith?: string | undefined;
}

export async function orderRenderJobs(
  generation: GenerationContext,
  purchase: RenderPurchase,
  payer: Payer,
): Promise<PaidResult<readonly Job[]>> {
  const { order } = await placeOrderWithWork(generation, purchase, payer, NOTHING_MORE);
  return paidResult(order, order.jobs);
}

export interface FinishedRender {
  job: Job;
  file: StoredFile;
  url: string;
}

/**
 * Places an order and waits for the file. A failed render is refunded, and throws an error with status 502 or
 * `storage_full`.
 */
export async function orderAndAwaitRender(
  generation: GenerationContext,
  purchase: RenderPurchase,
  payer: RequestPayer,
): Promise<PaidResult<FinishedRender>> {
  const { order } = await placeOrderWithWork(generation, { ...purchase, isAwaited: true }, payer, NOTHING_MORE);
  const [ordered] = order.jobs;
  if (!ordered) throw new Error('an awaited render is one job');
  const job = isFinal(ordered.status) ? ordered : await generation.jobs.awaitEnd(ordered, payer.gone);
  const { outcome, result } = job;
  if (outcome && result && 'file' in outcome && 'result_url' in result) {
    return paidResult(order, { job, file: outcome.file, url: result.result_url });
  }
  throw awaitedFailure(job);
}

const NOTHING_MORE = () => undefined;

/**
 * Places an order and does `work` in the same transaction. If this throws, nothing was charged and no work has started.
 */
export async function placeOrderWithWork<Done>(
  generation: GenerationContext,
  purchase: Purchase | RenderPurchase,
  payer: Payer,
  work: (tx: Transaction, order: PlacedOrder) => NotAPromise<Done>,
): Promise<{ order: PlacedOrder; done: NotAPromise<Done> }> {
  const { directives, blockedBeforeCharge } = purchase;
  if (directives.status !== undefined) throw injectedStatusError(directives.status);
  if (blockedBeforeCharge) throw blockedBeforeCharge;
  // A cancelled run must not start a step.
  if (payer.kind === 'run') payer.gone.throwIfAborted();
  const bought = await generation.database.transact((tx) => {
    const order = placeOrder(tx, generation, payer, purchase);
    return { order, done: work(tx, order) };
  });
  payer.order = bought.order;
  return bought;
}

export function paidResult<Result>({ charges }: PlacedOrder, result: Result): PaidResult<Result> {
  return {
    result,
    usage: { credits_spent: sumChargedCredits(charges), credits_remaining: charges.at(-1)?.balance ?? 0 },
  };
}

export function sumChargedCredits(charges: readonly Entry[]): number {
  return charges.reduce((total, entry) => total - entry.amount, 0);
}

function awaitedFailure({ outcome }: Job): Error {
  const error = outcome && 'error' in outcome ? outcome.error : undefined;
  if (error?.code === 'storage_full') return new EmulatorError('storage_full', error.message);
  return workFailedError(error ?? { code: 'render_failed' });
}

export function workFailedError(error: Omit<JobError, 'message'> & { message?: string }): ResponseError {
  return new ResponseError({ ...error, status: 502, type: 'api_error' });
}

/**
 * Writes the charges, the order and its jobs, all or nothing. Only this function charges. Throws `insufficient_credits`
 * if the balance is too low for the whole order. For renders, throws `RunLeftStepError` if the run has left the step.
 *
 * An order without a job, a flow run or a fault, such as a chat, has no row in `orders`. The row would only repeat its
 * charge, but its statement needs a savepoint (`Member` in shared-commit.ts), which nearly halves the throughput.
 */
function placeOrder(
  tx: Transaction,
  generation: GenerationContext,
  payer: Payer,
  purchase: Purchase | RenderPurchase,
): PlacedOrder {
  const faults = purchase.isRefunded ? null : (payer.faults ?? null);
  const charges = chargeAll(tx, generation.random, payer, purchase);
  if (faults || 'renders' in purchase || payer.kind === 'run') writeOrder(tx, payer, charges, faults);
  if (!('renders' in purchase)) return { charges, jobs: [], faults };
  const jobs = generation.jobs.add(tx, jobsOf(tx, generation, payer, { purchase, charges }));
  if (payer.kind === 'run') startRunStep(tx, payer);
  return { charges, jobs, faults };
}

function writeOrder(tx: Transaction, payer: Payer, charges: readonly Entry[], faults: RequestFaults | null): void {
  const [first] = charges;
  if (!first) throw new Error('an order has a charge');
  const { accountId, n, operation, model, requestId, created } = first;
  const { runId, step } = payer.kind === 'run' ? payer : { runId: null, step: null };
  const of = { operation: operation ?? '', model, requestId, runId, step, faults, created };
  orders.insert(tx, { accountId, charge: n, charges: charges.length, ...of });
}

function chargeAll(tx: Transaction, random: Random, payer: Payer, purchase: Purchase | RenderPurchase): Entry[] {
  const { operation, model, lines } = purchase;
  const hasJobs = 'renders' in purchase;
  const { accountId } = payer.caller;
  const amount = sumPriceLines(lines);
  const count = hasJobs ? purchase.renders.length : (purchase.count ?? 1);
  requireTotal(tx, accountId, { amount, count });
  return Array.from({ length: count }, () => {
    const jobId = hasJobs ? nextId(tx, random, 'job', accountId) : null;
    return charge(tx, random, { accountId, amount, operation, model, jobId, requestId: payer.requestId, lines });
  });
}

/** Checks the balance against the price of the whole order, so that the error names this price. */
function requireTotal(tx: Transaction, accountId: string, { amount, count }: { amount: number; count: number }): void {
  // For a single charge, `charge` in ledger.ts throws this error.
  if (count < 2) return;
  const balance = balanceOf(tx, accountId);
  if (balance < amount * count) throw insufficientCreditsError(amount * count, balance);
}

function jobsOf(
  tx: Transaction,
  { mediaSize }: GenerationContext,
  { kind, caller, faults, scripted, baseUrl }: Payer,
  { purchase, charges }: { purchase: RenderPurchase; charges: readonly Entry[] },
): NewJob[] {
  const { directives, medium, model, store, isAwaited } = purchase;
  const { accountId, workspaceId } = caller;
  const shared = {
    ...{ accountId, workspaceId, medium, model, store, baseUrl },
    orderCharge: charges[0]?.n ?? 0,
    waiter: kind === 'run' ? 'run' : isAwaited ? 'call' : null,
  } as const;
  return purchase.renders.map(({ parameters, request, take, seed, failWith }, at) => {
    const paid = charges[at];
    if (!paid?.jobId) throw new Error('every render has a charge that names its job');
    const sources = { directives, faults, scripted };
    const decided = decideWork(sources, { at, take, failWith });
    const ordered = {
      ...shared,
      id: paid.jobId,
      take: take ?? null,
      seed: seed ?? null,
      failWith: decided.fail ?? null,
      readyAt: decided.slowSeconds === undefined ? null : tx.now + decided.slowSeconds * 1000,
      parameters,
      render: scripted?.media ?? withTargetFileSize(request, directives, mediaSize),
      credits: -paid.amount,
      charge: paid.n,
      faults: decided.faults,
    };
    return { ...newQueuedJob(ordered, tx.now), released: isReleasedByFault(tx, accountId, ordered.faults?.pace) };
  });
}

/**
 * A released job ends as soon as it has an outcome. Under `instant` the response waits for this end. Under `unpolled`,
 * polls show the job as `processing` until the deliveries of its event have ended. In the progression `manual` no fault
 * ends a job.
 */
function isReleasedByFault(tx: Transaction, accountId: string, pace: JobFaults['pace']): boolean {
  if (pace !== 'instant' && pace !== 'unpolled') return false;
  return readProgression(tx, accountId).mode !== 'manual';
}

interface WorkDecisions {
  directives: Directives;
  faults: RequestFaults | undefined;
  scripted: { fail?: string } | undefined;
}

interface RenderToDecide extends Pick<RenderToOrder, 'failWith'> {
  at: number;
  take?: number | undefined;
}

export function decideWork(
  { directives, faults, scripted }: WorkDecisions,
  { at, take, failWith }: RenderToDecide = { at: 0 },
): { fail: string | undefined; slowSeconds: number | undefined; faults: JobFaults | null } {
  return {
    fail: failureCodeOf(directives, take) ?? failWith ?? faults?.jobs?.[at]?.fail ?? faults?.fail ?? scripted?.fail,
    slowSeconds: directives.slowSeconds ?? faults?.slowSeconds,
    faults: faults ? jobFaultsExceptFailure(faults, at) : null,
  };
}

function failureCodeOf({ fail }: Directives, take: number | undefined): string | undefined {
  return fail && (fail.take === undefined || fail.take === take) ? fail.code : undefined;
}

/** Returns a seed from 0 to 4294967295, equal for equal values. */
export function deriveSeed(...decisive: unknown[]): number {
  return Number.parseInt(hash('sha256', JSON.stringify(decisive), 'hex').slice(0, 8), 16);
}
