import { hash } from 'node:crypto';
import type { Transaction } from '../../base/database/transaction.ts';
import { EmulatorError, InjectedFault } from '../../base/errors.ts';
import { sizedRender } from '../../media/request-measures.ts';
import { type Directives, failureOf } from '../faults/directives.ts';
import { type FinishedFile, isFinal, type Job, type Medium, type NewJob, orderedJob } from '../jobs/job.ts';
import type { Entry } from '../ledger/ledger.ts';
import type { OrderedTake, PayingCall, Work } from './order.ts';
import type { Generation } from './pipeline.ts';

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
  return {
    jobs: true,
    begin: (tx, charges) =>
      generation.jobs.order(
        tx,
        jobsOf(tx, { generation, order, payer, awaited: payer.onStarted !== undefined }, charges),
      ),
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

export function failedAnswer({
  code,
  message,
  asked,
}: {
  code: string;
  message?: string;
  asked?: true;
}): InjectedFault {
  return new InjectedFault({
    status: 502,
    code,
    type: 'api_error',
    ...(message ? { message } : {}),
    ...(asked ? { asked } : {}),
  });
}
