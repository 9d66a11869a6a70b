import { type Clock, waitUntil } from '../../base/clock/clock.ts';
import type { Database } from '../../base/database/database.ts';
import { EmulatorError, ResponseError } from '../../base/errors.ts';
import { findAccount } from '../accounts/account-store.ts';
import type { Caller } from '../accounts/key-store.ts';
import type { FlowRunPayer } from '../generation/place-order.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { RunLeftStepError } from '../orders/run-step-store.ts';
import { type QueueTask, WorkQueue } from '../work-queue.ts';
import type { FlowStep, StepDefinitions } from './definition.ts';
import {
  findNextRunQueueItem,
  findRun,
  type RunQueueItem,
  readFlowSteps,
  type StoredRun,
  workspaceIdsWithRunningRuns,
} from './flow-store.ts';
import type { FlowRunStateMachine, RunAdvanceCondition } from './run-progress.ts';

interface FlowRunnerParts {
  database: Database;
  clock: Clock;
  jobs: Jobs;
  progress: FlowRunStateMachine;
  definitions: StepDefinitions;
  /** Called with unexpected errors. The step fails, or the run is tried again. */
  onError(error: unknown): void;
}

/**
 * The most runs that advance at the same time: in all, of one workspace, and of those that do not wait. Runs that do
 * not wait delay other requests.
 */
const LIMITS = { all: 32, ofOwner: 8, working: 2 };

export class FlowRunner {
  readonly queue: WorkQueue<RunQueueItem>;
  readonly #parts: FlowRunnerParts;

  constructor(parts: FlowRunnerParts) {
    this.#parts = parts;
    const { database, clock, onError } = parts;
    this.queue = new WorkQueue({
      clock,
      onError,
      limits: LIMITS,
      owners: () => workspaceIdsWithRunningRuns(database),
      next: (workspaceId, except) => findNextRunQueueItem(database, workspaceId, except),
      work: (task) => this.#advance(task),
    });
  }

  async #advance(task: QueueTask<RunQueueItem>): Promise<void> {
    const { database, progress } = this.#parts;
    const run = findRun(database, task.item.id);
    if (!run) return;
    const steps = readFlowSteps(database, run.flowId);
    const advance = () => database.transact((tx) => progress.advance(tx, findRun(tx, task.item.id), steps));
    const first = progress.peek(database, run, steps) ?? (await advance());
    for (let need = first; need.for !== 'nothing'; ) {
      if (need.for === 'step') await this.#begin(task, need, steps);
      else await this.#waitFor(task, need);
      need = await advance();
    }
  }

  #waitFor(
    task: QueueTask<RunQueueItem>,
    need: Extract<RunAdvanceCondition, { for: 'job' | 'time' }>,
  ): Promise<unknown> {
    const { jobs, clock } = this.#parts;
    return task.whileWaiting<unknown>(() =>
      need.for === 'time'
        ? waitUntil(clock, need.at, task.signal)
        : Promise.all([jobs.whenFinal(need.jobId, task.signal), jobs.endIfDue(need.jobId)]),
    );
  }

  async #begin(
    task: QueueTask<RunQueueItem>,
    { run, step }: Extract<RunAdvanceCondition, { for: 'step' }>,
    steps: readonly FlowStep[],
  ): Promise<void> {
    const { database, clock, progress, definitions } = this.#parts;
    const { id: runId, step: at, baseUrl, requestId } = run;
    const caller = callerOf(database, run);
    const payer: FlowRunPayer = { kind: 'run', runId, step: at, caller, baseUrl, requestId, gone: task.signal };
    try {
      const params = progress.filled(database, { run, steps, now: clock.now() });
      await definitions[step.type].order(params, payer);
    } catch (error) {
      // If the order was placed, the step has started, and its job or its row in `run_steps` has the failure.
      if (!payer.order) await this.#refuse(task, run, steps, error);
    }
  }

  async #refuse(
    task: QueueTask<RunQueueItem>,
    run: StoredRun,
    steps: readonly FlowStep[],
    error: unknown,
  ): Promise<void> {
    task.signal.throwIfAborted();
    if (error instanceof RunLeftStepError) return;
    const isExpected = error instanceof EmulatorError || error instanceof ResponseError;
    if (isExpected && error.code === 'storage_full') throw error;
    if (!isExpected) this.#parts.onError(error);
    const message = isExpected ? error.message : 'The step failed because of a bug in the emulator.';
    const { database, progress } = this.#parts;
    await database.transact((tx) => {
      const current = findRun(tx, run.id);
      if (current?.status === 'running') progress.fail(tx, current, steps, message);
    });
  }
}

function callerOf(database: Database, { accountId }: StoredRun): Caller {
  const account = findAccount(database, accountId);
  if (!account) throw new Error(`no account ${accountId} pays for its run`);
  const { workspaceId, role, plan } = account;
  return { keyId: '', accountId, workspaceId, role, plan };
}
