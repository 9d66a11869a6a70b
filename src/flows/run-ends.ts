import type { Database } from '../database/database.ts';
import type { Transaction } from '../database/transaction.ts';
import { EmulatorError } from '../errors.ts';
import type { Settlement } from '../jobs/settlement.ts';
import { refund } from '../ledger/ledger.ts';
import type { Random } from '../random.ts';
import { readSteps } from './flow-store.ts';
import type { Run, RunStep } from './run.ts';
import type { RunProgress } from './run-progress.ts';
import { approvePost, findRunStep } from './run-step-store.ts';
import { findRun, moveRun } from './run-store.ts';

export interface EndsParts {
  database: Database;
  random: Random;
  settlement: Settlement;
  progress: RunProgress;
}

/** What somebody decided about a post; `text`, where it is given, takes the place of the post's own. */
export interface Click {
  choice: 'approve' | 'reject';
  text: string | undefined;
}

/** What people do to runs: they click, and they cancel. Each within one transaction. */
export class RunEnds {
  readonly #parts: EndsParts;

  constructor(parts: EndsParts) {
    this.#parts = parts;
  }

  /** Answers the run as it is then. Throws `not_waiting`: of two clicks at once one comes too late. */
  click(tx: Transaction, run: Run, { choice, text }: Click): Run {
    const post = run.status === 'waiting' ? findRunStep(tx, run.id, run.step)?.post : undefined;
    if (!post) throw notWaiting(run);
    const { progress } = this.#parts;
    const steps = readSteps(tx, run.flowId, run.version);
    if (choice === 'reject') {
      progress.fail(tx, run, steps, 'rejected');
    } else {
      approvePost(tx, run.id, run.step, { ...post, text: text ?? post.text });
      progress.advance(tx, moveRun(tx, run, 'running'), steps);
    }
    return findRun(tx, run.id) ?? run;
  }

  /** Ends a run at the step at which it stands, as one that failed there: what that step was charged is given back. */
  cancel(tx: Transaction, run: Run): void {
    const started = findRunStep(tx, run.id, run.step);
    if (started) this.#giveBack(tx, run, started);
    this.#parts.progress.fail(tx, run, readSteps(tx, run.flowId, run.version), 'cancelled');
  }

  #giveBack(tx: Transaction, { accountId }: Run, { jobId, charge, outcome }: RunStep): void {
    const { settlement, random } = this.#parts;
    if (jobId) settlement.cutShort(tx, jobId, CANCELLED);
    else if (charge !== null && outcome && !('error' in outcome)) {
      refund(tx, random, { accountId, n: charge });
    }
  }
}

const CANCELLED = {
  code: 'cancelled',
  message: 'The run that ordered it was cancelled, and its charge was refunded.',
};

function notWaiting({ id, status }: Run): EmulatorError {
  return new EmulatorError(
    'not_waiting',
    `The run ${id} is ${status} and waits for no click; GET /_emulator/runs?status=waiting lists those that do.`,
  );
}
