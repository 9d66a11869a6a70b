import { hash } from 'node:crypto';
import { until } from '../../base/clock/clock.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { EmulatorError, InjectedFault } from '../../base/errors.ts';
import { sizedRender } from '../../media/request-measures.ts';
import type { CrashHook, CrashPoint } from '../faults/applied-fault.ts';
import { type Directives, failureOf } from '../faults/directives.ts';
import {
  type FinishedFile,
  isFinal,
  type Job,
  type JobError,
  type Medium,
  type NewJob,
  orderedJob,
} from '../jobs/job.ts';
import type { Entry } from '../ledger/ledger.ts';
import type { Instant, OrderedTake, PayingCall, Work } from './order.ts';
import type { Charges, Generation } from './pipeline.ts';

/** The default seed, 0 to 4294967295. Equal requests have equal seeds. */
export function derivedSeed(...decisive: unknown[]): number {
  return Number.parseInt(hash('sha256', JSON.stringify(decisive), 'hex').slice(0, 8), 16);
}

interface RenderOrder {
  medium: Medium;
  model: string;
  store: boolean;
  takes: readonly OrderedTake[];
  directives: Directives;
}

export function queuedWork(generation: Generation, order: RenderOrder, payer: PayingCall): Work<Job[], Job[]> {
  const awaited = payer.onStarted !== undefined;
  return {
    jobs: true,
    begin: (tx, charges) => generation.jobs.order(tx, jobsOf(tx, { generation, order, payer, awaited }, charges)),
    finish: (jobs) => jobs,
  };
}

export interface AwaitedRender {
  job: Job;
  file: FinishedFile;
  url: string;
}

/** A failed render is refunded and returns 502. */
export function awaitedWork(generation: Generation, order: RenderOrder, payer: PayingCall): Work<Job[], AwaitedRender> {
  const { jobs } = generation;
  return {
    jobs: true,
    begin: (tx, charges) => jobs.order(tx, jobsOf(tx, { generation, order, payer, awaited: true }, charges)),
    async finish([ordered]) {
      if (!ordered) throw new Error('an awaited render is one job');
      const job = isFinal(ordered.status) ? ordered : await jobs.awaitEnd(ordered, payer.gone);
      const { outcome, result } = job;
      if (outcome && result && 'file' in outcome && 'result_url' in result) {
        return { job, file: outcome, url: result.result_url };
      }
      throw awaitedFailure(job);
    },
  };
}

function awaitedFailure({ outcome }: Job): Error {
  const error = outcome && 'error' in outcome ? outcome.error : undefined;
  if (error?.code === 'storage_full') return new EmulatorError('storage_full', error.message);
  return failedAnswer(error ?? { code: 'render_failed' });
}

interface Ordering {
  generation: Generation;
  order: RenderOrder;
  payer: PayingCall;
  awaited: boolean;
}

function jobsOf(tx: Transaction, { generation, order, payer, awaited }: Ordering, charges: readonly Entry[]): NewJob[] {
  const { appliedFault, scripted } = payer;
  appliedFault?.onStarted?.();
  const slow = order.directives.slowSeconds ?? appliedFault?.slowSeconds;
  const readyAt = slow === undefined ? null : tx.now + slow * 1000;
  return order.takes.map((take, position) => {
    const paid = charges[position];
    if (!paid?.jobId) throw new Error('every take has a charge that names its job');
    const applied = appliedFault?.takes?.[position];
    const asked = order.directives.fail && failureOf(order.directives, take.take);
    const ordered = {
      id: paid.jobId,
      accountId: payer.caller.accountId,
      workspaceId: payer.caller.workspaceId,
      medium: order.medium,
      model: order.model,
      awaited,
      ofRun: payer.onStarted !== undefined,
      requestId: payer.requestId ?? null,
      take: take.take ?? null,
      seed: take.seed ?? null,
      failWith: asked ?? take.failWith ?? applied?.fail ?? appliedFault?.fail ?? scripted?.fail ?? null,
      readyAt,
      parameters: take.parameters,
      render: scripted?.media ?? sizedRender(take.render, order.directives, generation.mediaSize),
      store: order.store,
      credits: -paid.amount,
      charge: paid.n,
      baseUrl: payer.baseUrl,
      faults: applied?.faults ?? null,
    };
    const { pace } = ordered.faults ?? {};
    // Both are final once they have an outcome. They differ only in the shown state.
    return { ...orderedJob(ordered, tx.now), released: pace === 'instant' || pace === 'unpolled' };
  });
}

function failedAnswer(error: Omit<JobError, 'message'> & { message?: string }): InjectedFault {
  return new InjectedFault({ ...error, status: 502, type: 'api_error' });
}

/** `owed` is the charge of a result that is stored nowhere, while its response is delayed. */
type Started<Result> = Instant<Result> & { owed?: Entry };

interface InstantCall {
  directives: Directives;
  payer: PayingCall;
  /** True if the result is stored, and so does not depend on the response. */
  keeps?: boolean;
}

/**
 * Charge, work and settlement in one transaction. A failure is refunded in the same transaction (502). A slow directive
 * delays the response, until the client disconnects.
 */
export function instantWork<Result>(
  generation: Generation,
  { directives, payer, keeps = false }: InstantCall,
  work: (tx: Transaction, charged: Entry) => Result,
): Work<Started<Result>, Result> {
  const { appliedFault, scripted } = payer;
  const applied = appliedFault?.takes?.[0];
  const fail = failureOf(directives) ?? applied?.fail ?? appliedFault?.fail ?? scripted?.fail;
  const slowSeconds = directives.slowSeconds ?? appliedFault?.slowSeconds ?? 0;
  const crash = generation.crashHook && applied?.faults?.crash;
  const isKept = keeps || payer.onStarted !== undefined;
  const owes = !isKept && slowSeconds > 0;
  return {
    begin(tx, charges) {
      const [charged] = charges;
      if (!charged) throw new Error('instant work has one charge');
      appliedFault?.onStarted?.();
      const readyAt = tx.now + slowSeconds * 1000;
      if (crash) crashAt(crash, tx, generation.crashHook);
      if (fail) {
        generation.charges.refund(tx, charged);
        return { failure: failedAnswer({ code: fail, asked: true }), readyAt };
      }
      const result = work(tx, charged);
      generation.charges.keep(tx, charged);
      if (!owes) return { result, readyAt };
      generation.unanswered.owe(tx, charged);
      return { result, readyAt, owed: charged };
    },
    instant: asStarted,
    finish(started) {
      if (slowSeconds === 0) return outcome(started);
      return delayed(generation, started, payer).then(() => outcome(started));
    },
  };
}

/**
 * Charge and work are one transaction, so a crash leaves no charge. A crash after the settlement comes after the commit, so
 * the charge stays, unless the response was delayed [I211].
 */
function crashAt(point: CrashPoint, tx: Transaction, crashHook: CrashHook | undefined): void {
  if (point === 'after_charge' || point === 'after_work') crashHook?.();
  if (point === 'after_settle' && crashHook) tx.onCommit(crashHook);
}

function delayed({ clock, unanswered }: Generation, started: Started<unknown>, { gone }: PayingCall) {
  const waiting = until(clock, started.readyAt, gone);
  return started.owed ? unanswered.whileWaiting(started.owed, waiting, gone) : waiting;
}

/** Refunded in the same transaction. */
export function refusedWork(charges: Charges, failure: Error): Work<Started<never>, never> {
  return {
    begin(tx, charged) {
      charges.refundRefused(tx, charged);
      return { failure, readyAt: tx.now };
    },
    instant: asStarted,
    finish: outcome,
  };
}

function asStarted<Result>(started: Started<Result>): Instant<Result> {
  return started;
}

function outcome<Result>(started: Started<Result>): Result {
  if ('failure' in started) throw started.failure;
  return started.result;
}
