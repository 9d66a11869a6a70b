import { hash } from 'node:crypto';
import type { Transaction } from '../../base/database/transaction.ts';
import { EmulatorError } from '../../base/errors.ts';
import { sizedRender } from '../../media/request-measures.ts';
import type { JobFaults } from '../faults/applied-fault.ts';
import { type Directives, failureOf } from '../faults/directives.ts';
import { type FinishedFile, isFinal, type Job, type Medium, type NewJob, orderedJob } from '../jobs/job.ts';
import { insertJob } from '../jobs/job-store.ts';
import type { Entry } from '../ledger/ledger.ts';
import { failedAnswer } from './instant-work.ts';
import type { JobProcessor } from './job-processor.ts';
import type { Payer, Take, Work } from './order.ts';

/** The seed of a request that gives none, 0 to 4294967295: the same for the same request. */
export function derivedSeed(...decisive: unknown[]): number {
  return Number.parseInt(hash('sha256', JSON.stringify(decisive), 'hex').slice(0, 8), 16);
}

/** All files that one request pays for. */
export interface RenderOrder {
  medium: Medium;
  model: string;
  store: boolean;
  takes: readonly Take[];
  directives: Directives;
}

/** Work for the queue: its jobs are answered at once, and polled. */
export function queuedWork(processor: JobProcessor, order: RenderOrder, payer: Payer): Work<Job[], Job[]> {
  return {
    jobs: true,
    begin(tx, charges) {
      const awaited = payer.onStarted !== undefined;
      const jobs = jobsOf(tx, { processor, order, payer, awaited }, charges);
      return planned(
        tx,
        processor,
        jobs.map((job) => insertJob(tx, job)),
      );
    },
    finish(jobs) {
      const [first] = jobs;
      if (first) processor.queue.wake(first.accountId);
      return jobs;
    },
  };
}

/** A finished render that a call waited for. */
export interface AwaitedRender {
  job: Job;
  file: FinishedFile;
  url: string;
}

/** Work that the call waits for. A failed render is refunded and answered with a 502. */
export function awaitedWork(processor: JobProcessor, order: RenderOrder, payer: Payer): Work<Job[], AwaitedRender> {
  return {
    jobs: true,
    begin(tx, charges) {
      const jobs = jobsOf(tx, { processor, order, payer, awaited: true }, charges);
      // A run stores what it began before it learns of an end.
      const write = payer.onStarted ? insertJob : processor.record.bind(processor);
      const written = jobs.map((job) => write(tx, job));
      // A call waits, so its work starts at the end of this transaction, before the commit.
      for (const job of written) {
        if (!isFinal(job.status)) queueMicrotask(() => processor.start(job));
      }
      return planned(tx, processor, written);
    },
    async finish([ordered]) {
      if (!ordered) throw new Error('an awaited render is one job');
      const job = isFinal(ordered.status) ? ordered : await rendered(processor, ordered, payer);
      const { outcome, result } = job;
      if (outcome && result && 'file' in outcome && 'result_url' in result) {
        return { job, file: outcome, url: result.result_url };
      }
      throw awaitedFailure(job);
    },
  };
}

function rendered(processor: JobProcessor, { id, accountId }: Job, { onStarted, gone }: Payer): Promise<Job> {
  processor.queue.wake(accountId);
  return onStarted ? processor.settlement.whenFinal(id, gone) : processor.settlement.awaitFinal(id, gone);
}

function awaitedFailure({ outcome }: Job): Error {
  const error = outcome && 'error' in outcome ? outcome.error : undefined;
  if (error?.code === 'storage_full') return new EmulatorError('storage_full', error.message);
  return failedAnswer(error ?? { code: 'render_failed' });
}

interface Beginning {
  processor: JobProcessor;
  order: RenderOrder;
  payer: Payer;
  awaited: boolean;
}

function jobsOf(tx: Transaction, { processor, order, payer, awaited }: Beginning, charges: readonly Entry[]): NewJob[] {
  const { appliedFault, scripted } = payer;
  if (appliedFault) appliedFault.started = true;
  const { crashHook } = processor.settlement;
  if (crashHook && appliedFault?.takes?.[0]?.faults?.crash === 'after_charge') tx.onCommit(crashHook);
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
      render: scripted?.media ?? sizedRender(take.render, order.directives, processor.mediaSize),
      store: order.store,
      credits: -paid.amount,
      charge: paid.n,
      baseUrl: payer.baseUrl,
      faults: applied?.faults ? ownFaults(applied.faults) : null,
    };
    const { pace } = ordered.faults ?? {};
    // Both are final as soon as they have an outcome, whatever the progression; they differ in what is shown.
    return { ...orderedJob(ordered, tx.now), released: pace === 'instant' || pace === 'unpolled' };
  });
}

/** Plans the settlement of the jobs that are not final yet, after the commit. */
function planned(tx: Transaction, { settlement }: JobProcessor, jobs: Job[]): Job[] {
  for (const { id, status } of jobs) {
    if (!isFinal(status)) tx.onCommit(() => void settlement.plan(id));
  }
  return jobs;
}

/** Only the first job of a request has the crash fault, and none if the process crashes with their charge. */
function ownFaults(faults: JobFaults): JobFaults | null {
  if (faults.crash !== 'after_charge') return faults;
  const { crash: _crash, ...others } = faults;
  return Object.keys(others).length > 0 ? others : null;
}
