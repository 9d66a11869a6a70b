import type { Database } from '../../base/database/database.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { EmulatorError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { refund } from '../ledger/ledger.ts';
import { readSteps } from './flow-store.ts';
import type { RunStep, StoredRun } from './run.ts';
import type { RunProgress } from './run-progress.ts';
import { approvePost, findRun, findRunStep, moveRun } from './run-store.ts';

export interface EndsParts {
  database: Database;
  random: Random;
  jobs: Jobs;
  progress: RunProgress;
}

/** A decision about a post; `text`, if given, replaces that of the post. */
export interface Click {
  choice: 'approve' | 'reject';
  text: string | undefined;
}

/** Clicks and cancels of runs, each in one transaction. */
export class RunEnds {
  readonly #parts: EndsParts;

  constructor(parts: EndsParts) {
    this.#parts = parts;
  }

  /** Returns the run as it is then. Throws `not_waiting`, also for the second of two clicks at once. */
  click(tx: Transaction, run: StoredRun, { choice, text }: Click): StoredRun {
    const post = run.status === 'waiting' ? findRunStep(tx, run.id, run.step)?.post : undefined;
    if (!post) throw notWaiting(run);
    const { progress } = this.#parts;
    const steps = readSteps(tx, run.flowId);
    if (choice === 'reject') {
      progress.fail(tx, run, steps, 'rejected');
    } else {
      approvePost(tx, run.id, run.step, { ...post, text: text ?? post.text });
      progress.advance(tx, moveRun(tx, run, 'running'), steps);
    }
    return findRun(tx, run.id) ?? run;
  }

  /** Ends a run as failed at its present step, and refunds that step. */
  cancel(tx: Transaction, run: StoredRun): void {
    const started = findRunStep(tx, run.id, run.step);
    if (started) this.#refund(tx, run, started);
    this.#parts.progress.fail(tx, run, readSteps(tx, run.flowId), 'cancelled');
  }

  #refund(tx: Transaction, { accountId }: StoredRun, { jobId, charge, outcome }: RunStep): void {
    const { jobs, random } = this.#parts;
    if (jobId) jobs.cutShort(tx, jobId, CANCELLED);
    else if (charge !== null && outcome && !('error' in outcome)) {
      refund(tx, random, { accountId, n: charge });
    }
  }
}

const CANCELLED = {
  code: 'cancelled',
  message: 'The run that ordered it was cancelled, and its charge was refunded.',
};

function notWaiting({ id, status }: StoredRun): EmulatorError {
  return new EmulatorError(
    'not_waiting',
    `The run ${id} is ${status} and waits for no click; GET /_emulator/runs?status=waiting lists those that do.`,
  );
}
