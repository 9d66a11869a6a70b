import type { Clock } from '../../base/clock/clock.ts';
import type { Database } from '../../base/database/database.ts';
import { nextId } from '../../base/database/id-store.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { EmulatorError, quoted } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { refund } from '../ledger/ledger.ts';
import { approvePost, findRunStep, type RunStep } from '../orders/run-step-store.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { checkFlowSteps, type FlowStep, type StepDefinitions } from './definition.ts';
import { FlowRunner } from './flow-runner.ts';
import {
  countRunningRuns,
  type FlowOwnership,
  findFlowOwnership,
  findFlowOwnershipByToken,
  findRun,
  flowNotFoundError,
  isRunFinal,
  newestRunPosition,
  readFlowSteps,
  runs,
  type StoredRun,
  updateRunStatus,
} from './flow-store.ts';
import { FlowRunStateMachine, type RunDetails, readRunDetails } from './run-progress.ts';

interface FlowsParts {
  database: Database;
  clock: Clock;
  random: Random;
  webhooks: Webhooks;
  jobs: Jobs;
  definitions: StepDefinitions;
  onError(error: unknown): void;
}

type NewRun = Pick<StoredRun, 'source' | 'inputs' | 'baseUrl' | 'requestId' | 'faults'>;

interface Click {
  choice: 'approve' | 'reject';
  text: string | undefined;
}

const CALLS_PER_TURN = 3;

/**
 * Starts, continues and cancels flow runs. Their state and their queue are in the database, so that a crash loses
 * nothing.
 */
export class FlowRuns {
  readonly #parts: FlowsParts;
  readonly #progress: FlowRunStateMachine;
  readonly #runner: FlowRunner;
  readonly #listeners = new Set<(run: StoredRun) => void>();
  /** Limits the calls of hook URLs in a turn of the event loop, so that many calls do not block other requests. */
  readonly #pace = new RunRateLimit(CALLS_PER_TURN);

  constructor(parts: FlowsParts) {
    this.#parts = parts;
    this.#progress = new FlowRunStateMachine({ ...parts, onChange: (run) => this.#notify(run) });
    this.#runner = new FlowRunner({ ...parts, progress: this.#progress });
  }

  start(): void {
    this.#runner.queue.open();
  }

  stop(): Promise<void> {
    const { queue } = this.#runner;
    const closed = queue.close();
    queue.cut(new Error('the emulator is stopping'));
    return closed;
  }

  check(steps: readonly FlowStep[]): string[] {
    return checkFlowSteps(steps, this.#parts.definitions);
  }

  newest(): number {
    return newestRunPosition(this.#parts.database);
  }

  /** Resolves when every run up to the position `newest` has ended or waits, for example for a job. */
  settled(newest: number): Promise<void> {
    return this.#runner.queue.settled(({ position }) => position <= newest);
  }

  /** A text that changes if a run up to the position `newest` begins, ends or continues after a wait. */
  progressKey(newest: number): string {
    const tasks = this.#runner.queue.tasks(({ position }) => position <= newest);
    return tasks.map(({ item, resumed }) => `${item.id}:${resumed}`).join();
  }

  running(accountId?: string): number {
    return countRunningRuns(this.#parts.database, accountId);
  }

  run(flowId: string, newRun: NewRun): Promise<StoredRun> {
    return this.#parts.database.transact((tx) => {
      const flow = findFlowOwnership(tx, flowId);
      if (!flow) throw flowNotFoundError(flowId);
      return this.#startRun(tx, flow, newRun);
    });
  }

  async runByToken(token: string, newRun: NewRun): Promise<StoredRun> {
    await this.#pace.turn();
    return this.#parts.database.transact((tx) => {
      const flow = findFlowOwnershipByToken(tx, token);
      if (!flow) throw noAddress();
      return this.#startRun(tx, flow, newRun);
    });
  }

  payerByToken(token: string): string {
    const flow = findFlowOwnershipByToken(this.#parts.database, token);
    if (!flow) throw noAddress();
    return flow.accountId;
  }

  /**
   * Approves or rejects the post for which a run waits. Throws `not_found`, or `not_waiting`, even for the second of
   * two parallel clicks.
   */
  async click(runId: string, { choice, text }: Click): Promise<RunDetails> {
    await this.#parts.database.transact((tx) => {
      const run = requireRun(tx, runId);
      const post = run.status === 'waiting' ? findRunStep(tx, runId, run.step)?.post : undefined;
      if (!post) throw notWaiting(run);
      const steps = readFlowSteps(tx, run.flowId);
      if (choice === 'reject') {
        this.#progress.fail(tx, run, steps, 'rejected');
        return;
      }
      approvePost(tx, runId, run.step, { ...post, text: text ?? post.text });
      this.#progress.advance(tx, updateRunStatus(tx, run, 'running'), steps);
      if (findRun(tx, runId)?.status === 'running') this.#wakeFor(tx, run);
    });
    return this.view(runId);
  }

  /**
   * Cancels a run, and refunds the current step unless its job is final. Throws `not_found`, or `conflict` if the run
   * has ended.
   */
  async cancel(runId: string): Promise<RunDetails> {
    await this.#parts.database.transact((tx) => {
      const run = requireRun(tx, runId);
      if (isRunFinal(run.status)) throw alreadyOver(run);
      const started = findRunStep(tx, runId, run.step);
      if (started) this.#refund(tx, run, started);
      this.#progress.fail(tx, run, readFlowSteps(tx, run.flowId), 'cancelled');
      const cut = new Error('the run was cancelled');
      tx.onCommit(() => this.#runner.queue.cut(cut, ({ id }) => id === runId));
    });
    return this.view(runId);
  }

  view(runId: string): RunDetails {
    const { database, definitions, clock } = this.#parts;
    return readRunDetails(database, requireRun(database, runId), { definitions, now: clock.now() });
  }

  /**
   * Calls `listener` after each commit in which a run ends or starts to wait. The returned function removes the
   * listener.
   */
  observe(listener: (run: StoredRun) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #notify(run: StoredRun): void {
    for (const listener of this.#listeners) listener(run);
  }

  #startRun(tx: Transaction, flow: FlowOwnership, wanted: NewRun): StoredRun {
    const { id: flowId, workspaceId, accountId } = flow;
    const id = nextId(tx, this.#parts.random, 'run', accountId);
    runs.insert(tx, { id, flowId, workspaceId, accountId, ...wanted, status: 'running', step: 1, started: tx.now });
    const run = requireRun(tx, id);
    this.#wakeFor(tx, run);
    return run;
  }

  #refund(tx: Transaction, { accountId }: StoredRun, { jobId, charge, outcome }: RunStep): void {
    const { jobs, random } = this.#parts;
    if (jobId) jobs.cutShort(tx, jobId, CANCELLED);
    else if (charge !== null && outcome && !('error' in outcome)) {
      refund(tx, random, { accountId, n: charge });
    }
  }

  #wakeFor(tx: Transaction, { workspaceId }: StoredRun): void {
    tx.onCommit(() => this.#runner.queue.wake(workspaceId));
  }
}

const CANCELLED = {
  code: 'cancelled',
  message: 'The run that ordered it was cancelled, and its charge was refunded.',
};

/** At most `perTurn` calls pass in one turn of the event loop, the others in the next turns, in order. */
class RunRateLimit {
  readonly #perTurn: number;
  readonly #waiting: (() => void)[] = [];
  #used = 0;

  constructor(perTurn: number) {
    this.#perTurn = perTurn;
  }

  async turn(): Promise<void> {
    if (this.#used === 0) setImmediate(() => this.#next());
    if (this.#used < this.#perTurn) this.#used += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #next(): void {
    const through = this.#waiting.splice(0, this.#perTurn);
    this.#used = through.length;
    if (this.#used > 0) setImmediate(() => this.#next());
    for (const resolve of through) resolve();
  }
}

function requireRun(db: Parameters<typeof findRun>[0], id: string): StoredRun {
  const run = findRun(db, id);
  if (run) return run;
  throw new EmulatorError('not_found', `There is no run ${quoted(id)}. GET /_emulator/runs lists them.`);
}

function noAddress(): EmulatorError {
  return new EmulatorError(
    'not_found',
    'There is no flow at this address: it was deleted, or the address is wrong. GET /_emulator/flows shows the hook_url of each flow.',
    { choice: 'C169' },
  );
}

function alreadyOver({ id, status }: StoredRun): EmulatorError {
  return new EmulatorError(
    'conflict',
    `The run ${id} is ${status} already; only running or waiting runs can be cancelled.`,
  );
}

function notWaiting({ id, status }: StoredRun): EmulatorError {
  return new EmulatorError(
    'not_waiting',
    `The run ${id} is ${status} and waits for no click; GET /_emulator/runs?status=waiting lists those that do.`,
  );
}
