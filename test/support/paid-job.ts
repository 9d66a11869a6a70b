import type { Transaction } from '../../src/base/database/transaction.ts';
import type { Random } from '../../src/base/random.ts';
import { type Job, orderedJob } from '../../src/engine/jobs/job.ts';
import { insertJob } from '../../src/engine/jobs/job-store.ts';
import { charge, topUp } from '../../src/engine/ledger/ledger.ts';

/** What tells one job from another. */
export type JobFields = Pick<Job, 'id' | 'accountId'> &
  Partial<Pick<Job, 'medium' | 'model' | 'parameters' | 'render' | 'seed' | 'workspaceId'>>;

/** A job that its account has paid for with what it was given for that. */
export function paidJob(tx: Transaction, random: Random, told: JobFields): Job {
  const { id, accountId, model = 'svc-image-one' } = told;
  topUp(tx, random, { accountId, amount: 10 });
  const paid = charge(tx, random, {
    ...{ accountId, amount: 10, operation: 'image.generation', model, jobId: id },
  });
  const ordered = {
    medium: 'image' as const,
    model,
    workspaceId: 'ws_1',
    parameters: {},
    render: { kind: 'image' as const, model, prompt: '', seed: 1 },
    seed: null,
    ...told,
    ...{ waiter: null, requestId: null, take: null, store: false, credits: 10, charge: paid.n },
    ...{ baseUrl: '', readyAt: null, failWith: null, faults: null },
  };
  return insertJob(tx, { ...orderedJob(ordered, tx.now), status: 'processing', started: tx.now });
}
