import type { Transaction } from '../../src/base/database/transaction.ts';
import type { Random } from '../../src/base/random.ts';
import { insertJob, type Job, newQueuedJob } from '../../src/engine/jobs/job-store.ts';
import { charge, topUp } from '../../src/engine/ledger/ledger.ts';
import { insertOrder } from '../../src/engine/orders/order-store.ts';

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
  const { n, operation, created } = paid;
  const order = { accountId, charge: n, charges: 1, operation: operation ?? '', model, created };
  insertOrder(tx, { ...order, requestId: null, runId: null, step: null, faults: null });
  const ordered = {
    medium: 'image' as const,
    model,
    workspaceId: 'ws_1',
    parameters: {},
    render: { kind: 'image' as const, model, prompt: '', seed: 1 },
    seed: null,
    ...told,
    ...{ waiter: null, requestId: null, take: null, store: false, credits: 10, charge: n, orderCharge: n },
    ...{ baseUrl: '', readyAt: null, failWith: null, faults: null },
  };
  return insertJob(tx, { ...newQueuedJob(ordered, tx.now), status: 'processing', started: tx.now });
}
