import type { Caller } from '../accounts/account-store.ts';
import { findAccount } from '../accounts/account-store.ts';
import { type Clock, until } from '../clock/clock.ts';
import type { Database } from '../database/database.ts';
import { EmulatorError, InjectedFault } from '../errors.ts';
import type { Settlement } from '../generation/settlement.ts';
import type { FlowStep } from './definition.ts';
import { readSteps } from './flow-store.ts';
import type { Run } from './run.ts';
import { type Need, RunOvertaken, type RunProgress } from './run-progress.ts';
import { type Drive, RunQueue } from './run-queue.ts';
import { findRun } from './run-store.ts';
import type { StepKinds } from './step-kind.ts';

export interface FlowRunnerParts {
  database: Database;
  clock: Clock;
  settlement: Settlement;
  progress: RunProgress;
  kinds: StepKinds;
  /** Told of what nobody foresaw: the step that it befell fails. */
  onError(error: unknown): void;
}

/** After how long a run that could not be written goes on, in milliseconds of real time. */
const RETRY_AFTER = 1000;

/** Carries runs on, step after step, each by the road of its operation. */
export class FlowRunner {
  readonly queue: RunQueue;
  readonly #parts: FlowRunnerParts;

  constructor(parts: FlowRunnerParts) {
    this.#parts = parts;
    this.queue = new RunQueue(parts.database, (drive) => this.#carry(drive));
  }

  /** Carries one run as far as it goes by itself; what a full disk refuses now it may take later. */
  async #carry(drive: Drive): Promise<void> {
    const { signal } = drive;
    while (!signal.aborted) {
      try {
        await this.#carryOn(drive);
        return;
      } catch (error) {
        if (signal.aborted) return;
        this.#parts.onError(error);
        await drive.resting(() => this.#pause(signal)).catch(() => undefined);
      }
    }
  }

  async #carryOn(drive: Drive): Promise<void> {
    const { database, progress } = this.#parts;
    const run = findRun(database, drive.runId);
    if (!run) return;
    const steps = readSteps(database, run.flowId, run.version);
    const advance = () => database.transact((tx) => progress.advance(tx, findRun(tx, drive.runId), steps));
    const first = progress.peek(database, run, steps) ?? (await advance());
    for (let need = first; need.for !== 'nothing'; ) {
      if (need.for === 'step') {
        need = (await this.#begin(drive, need, steps)) ?? (await advance());
      } else {
        await this.#meet(drive, need);
        need = await advance();
      }
    }
  }

  /** Waits for a job, which a run that uses it settles as soon as it is ready, or for a moment. */
  #meet(drive: Drive, need: Extract<Need, { for: 'job' | 'time' }>): Promise<unknown> {
    const { settlement, clock } = this.#parts;
    return drive.resting<unknown>(() =>
      need.for === 'time'
        ? until(clock, need.at, drive.signal)
        : Promise.all([settlement.whenFinal(need.jobId, drive.signal), settlement.settle(need.jobId)]),
    );
  }

  /** Orders the work of a step; answers what the run needs then, or undefined where only the database knows. */
  async #begin(
    drive: Drive,
    { run, step }: Extract<Need, { for: 'step' }>,
    steps: readonly FlowStep[],
  ): Promise<Need | undefined> {
    const { database, clock, progress, kinds } = this.#parts;
    const next: { need?: Need } = {};
    const payer = {
      ...{ caller: payerOf(this.#parts.database, run), baseUrl: run.baseUrl, gone: drive.signal },
      begun: (...[tx, beginning]: Parameters<StepBegun>) => {
        drive.signal.throwIfAborted();
        const need = progress.begun(tx, run, steps, beginning);
        tx.onCommit(() => {
          next.need = need;
          drive.rest(need.for === 'job' || need.for === 'time');
        });
      },
    };
    try {
      const params = progress.filled(database, { run, steps, now: clock.now() });
      await kinds[step.type].order(params, payer);
    } catch (error) {
      // What was begun has its end on record, whatever became of the call.
      if (!next.need) await this.#refuse(drive, run, steps, error);
    } finally {
      drive.rest(false);
    }
    return next.need;
  }

  /** A step that could not be begun: nothing was charged for it, and the run fails. */
  async #refuse(drive: Drive, run: Run, steps: readonly FlowStep[], error: unknown): Promise<void> {
    drive.signal.throwIfAborted();
    if (error instanceof RunOvertaken) return;
    const isTold = error instanceof EmulatorError || error instanceof InjectedFault;
    if (isTold && error.code === 'storage_full') throw error;
    if (!isTold) this.#parts.onError(error);
    const message = isTold ? error.message : 'The step failed by a bug of the emulator.';
    const { database, progress } = this.#parts;
    await database.transact((tx) => {
      const current = findRun(tx, run.id);
      if (current?.status === 'running') progress.fail(tx, current, steps, message);
    });
  }

  #pause(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = this.#parts.clock.after(RETRY_AFTER, resolve);
      signal.addEventListener('abort', () => {
        cancel();
        reject(signal.reason);
      });
    });
  }
}

type StepBegun = Parameters<StepKinds['text']['order']>[1]['begun'];

/** Whom the steps of a run are charged to. */
function payerOf(database: Database, { accountId }: Run): Caller {
  const account = findAccount(database, accountId);
  if (!account) throw new Error(`no account ${accountId} pays for its run`);
  const { workspaceId, role, plan } = account;
  return { keyId: '', accountId, workspaceId, role, plan };
}
