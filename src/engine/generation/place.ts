import type { Config } from '../../base/config/config.ts';
import { nextId } from '../../base/database/id-store.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import type { Random } from '../../base/random.ts';
import type { GivenFile, RenderRequest } from '../../media/render-request.ts';
import { sizedRender } from '../../media/request-measures.ts';
import type { ScriptedSong } from '../../media/songwriter/songwriter.ts';
import type { Caller } from '../accounts/key-store.ts';
import { type PaidOperation, type PriceLine, priceOf } from '../catalogue/catalogue.ts';
import type { AppliedFault, JobFaults } from '../faults/applied-fault.ts';
import type { Directives } from '../faults/directives.ts';
import { type Job, type MediaKind, type NewJob, newQueuedJob } from '../jobs/job-store.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { balanceOf, charge, type Entry, insufficientCreditsError } from '../ledger/ledger.ts';
import { orders } from '../orders/order-store.ts';
import { startStep } from '../orders/run-step-store.ts';

/** What an order wrote. It counts once the transaction is committed. */
export interface PlacedOrder {
  charges: readonly Entry[];
  jobs: readonly Job[];
  /** The decisions for the work. Null if there are none, or if the order was refunded at once. */
  faults: AppliedFault | null;
}

interface Paying {
  readonly caller: Caller;
  readonly baseUrl: string;
  readonly requestId: string | null;
  /** Aborts if the client disconnects or the run is cancelled, and ends waits. */
  readonly gone: AbortSignal;
  appliedFault?: AppliedFault | undefined;
  scripted?: ScriptedByFixture | undefined;
  /** The order, once it is committed. */
  order?: PlacedOrder | undefined;
}

export interface RequestPayer extends Paying {
  readonly kind: 'request';
}

/** A step of a run. The run waits for the work itself, so the pipeline does not. */
export interface RunPayer extends Paying {
  readonly kind: 'run';
  readonly runId: string;
  readonly step: number;
}

export type Payer = RequestPayer | RunPayer;

/** A piece of a scripted text. `delayMs` is the real time before it, in milliseconds. */
export interface ScriptedPiece {
  text: string;
  delayMs: number;
}

/** A scripted answer. Its missing parts are generated as usual. */
export interface ScriptedAnswer {
  text?: string;
  pieces?: readonly ScriptedPiece[];
  song?: ScriptedSong;
  media?: GivenFile;
  fail?: string;
}

export interface ScriptedByFixture extends ScriptedAnswer {
  readonly fixture: string;
}

/** An order before it is placed. Its work is done in the same transaction, or consists of jobs that render files. */
export interface Purchase {
  operation: PaidOperation;
  model: string | null;
  /** The price of one charge. */
  lines: readonly PriceLine[];
  /** The number of charges. By default one, or one for each take. */
  count?: number;
  directives: Directives;
  /** Why the content policy rejects the order before any charge. */
  blockedBeforeCharge?: Error | undefined;
  /** Set if the order is charged and refunded in one transaction, so that no work starts. */
  isRefunded?: true;
  takes?: readonly OrderedTake[];
}

/** An order of jobs. Each take is a job with its own charge. */
export interface RenderPurchase extends Purchase {
  medium: MediaKind;
  model: string;
  store: boolean;
  takes: readonly OrderedTake[];
  /** Set if a call waits for the file. */
  isAwaited?: true;
}

export interface OrderedTake {
  parameters: Record<string, unknown>;
  render: RenderRequest;
  take?: number;
  seed?: number;
  /** The error code of a render that cannot succeed. The code of a directive overrides it. */
  failWith?: string | undefined;
}

interface PlacingParts {
  readonly random: Random;
  readonly mediaSize: Config['mediaSize'];
  readonly jobs: Jobs;
}

/**
 * Writes the charges, the order and its jobs, all or nothing. The only code that charges. Throws `insufficient_credits`
 * if the balance is too low for the whole order, and `RunCancelled` if the run has left the step.
 *
 * A chat of a request has no row in `orders`: the row would say nothing that its charge does not. With one, 64
 * connections got 0.54 times as many chats (seven pairs of fresh servers), because charges of a commit share one INSERT
 * and one more statement gives each chat its own savepoint.
 */
export function placeOrder(
  tx: Transaction,
  parts: PlacingParts,
  payer: Payer,
  purchase: Purchase | RenderPurchase,
): PlacedOrder {
  const faults = purchase.isRefunded ? null : (payer.appliedFault ?? null);
  const charges = chargeAll(tx, parts.random, payer, purchase);
  if (faults || purchase.takes || payer.kind === 'run') writeOrder(tx, payer, charges, faults);
  if (!('medium' in purchase)) return { charges, jobs: [], faults };
  const jobs = parts.jobs.add(tx, jobsOf(tx, parts, payer, { purchase, charges }));
  if (payer.kind === 'run') startStep(tx, payer);
  return { charges, jobs, faults };
}

function writeOrder(tx: Transaction, payer: Payer, charges: readonly Entry[], faults: AppliedFault | null): void {
  const [first] = charges;
  if (!first) throw new Error('an order has a charge');
  const { accountId, n, operation, model, requestId, created } = first;
  const { runId, step } = payer.kind === 'run' ? payer : { runId: null, step: null };
  const of = { operation: operation ?? '', model, requestId, runId, step, faults, created };
  orders.insert(tx, { accountId, charge: n, charges: charges.length, ...of });
}

/** One entry for each charge, with the id of its job if the order has jobs. */
function chargeAll(tx: Transaction, random: Random, payer: Payer, purchase: Purchase): Entry[] {
  const { operation, model, lines, takes } = purchase;
  const { accountId } = payer.caller;
  const amount = priceOf(lines);
  const count = takes?.length ?? purchase.count ?? 1;
  requireTotal(tx, accountId, { amount, count });
  return Array.from({ length: count }, () => {
    const jobId = takes ? nextId(tx, random, 'job', accountId) : null;
    return charge(tx, random, { accountId, amount, operation, model, jobId, requestId: payer.requestId, lines });
  });
}

/** Checks the price of the whole order, so that the error names it. */
function requireTotal(tx: Transaction, accountId: string, { amount, count }: { amount: number; count: number }): void {
  // For a single charge, `charge` in ledger.ts throws this error.
  if (count < 2) return;
  const balance = balanceOf(tx, accountId);
  if (balance < amount * count) throw insufficientCreditsError(amount * count, balance);
}

function jobsOf(
  tx: Transaction,
  { mediaSize }: PlacingParts,
  { kind, caller, appliedFault, scripted, baseUrl }: Payer,
  { purchase, charges }: { purchase: RenderPurchase; charges: readonly Entry[] },
): NewJob[] {
  const { directives, medium, model, store, isAwaited } = purchase;
  const { accountId, workspaceId } = caller;
  const shared = {
    ...{ accountId, workspaceId, medium, model, store, baseUrl },
    orderCharge: charges[0]?.n ?? 0,
    waiter: kind === 'run' ? 'run' : isAwaited ? 'call' : null,
  } as const;
  return purchase.takes.map((take, position) => {
    const paid = charges[position];
    if (!paid?.jobId) throw new Error('every take has a charge that names its job');
    const sources = { directives, applied: appliedFault, scripted };
    const decided = decideWork(sources, { at: position, take: take.take, failWith: take.failWith });
    const ordered = {
      ...shared,
      id: paid.jobId,
      take: take.take ?? null,
      seed: take.seed ?? null,
      failWith: decided.fail ?? null,
      readyAt: decided.slowSeconds === undefined ? null : tx.now + decided.slowSeconds * 1000,
      parameters: take.parameters,
      render: scripted?.media ?? sizedRender(take.render, directives, mediaSize),
      credits: -paid.amount,
      charge: paid.n,
      faults: decided.faults ?? null,
    };
    const { pace } = ordered.faults ?? {};
    // Under both faults the job is final once it has an outcome. They differ only in the shown state.
    return { ...newQueuedJob(ordered, tx.now), released: pace === 'instant' || pace === 'unpolled' };
  });
}

interface WorkDecisions {
  directives: Directives;
  applied: AppliedFault | undefined;
  scripted: { fail?: string } | undefined;
}

/** `at` is the index of the take. `take` is its number, from 1, if the request has several. */
interface WantedTake {
  at: number;
  take?: number | undefined;
  /** The error code of a take whose request cannot succeed. */
  failWith?: string | undefined;
}

/** How the work on a take ends: by a directive, by the request itself, by fault rules, or by a scripted answer. */
export function decideWork(
  { directives, applied, scripted }: WorkDecisions,
  { at, take, failWith }: WantedTake = { at: 0 },
): { fail: string | undefined; slowSeconds: number | undefined; faults: JobFaults | undefined } {
  const own = applied?.takes?.[at];
  return {
    fail: failureCodeOf(directives, take) ?? failWith ?? own?.fail ?? applied?.fail ?? scripted?.fail,
    slowSeconds: directives.slowSeconds ?? applied?.slowSeconds,
    faults: own?.faults,
  };
}

/** The error code of a directive, if the directive fails this take. */
function failureCodeOf({ fail }: Directives, take: number | undefined): string | undefined {
  return fail && (fail.take === undefined || fail.take === take) ? fail.code : undefined;
}
