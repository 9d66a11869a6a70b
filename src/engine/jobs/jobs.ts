import { TimeSlice, withTimeout } from '../../base/clock/clock.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { EmulatorError, isStorageFullError, quoted, stateReplacedError } from '../../base/errors.ts';
import { RETRY_AFTER_MS } from '../work-queue.ts';
import { JobRunner, type JobRunnerParts } from './job-runner.ts';
import {
  hasReachedCompletionThreshold,
  isDelayedByFault,
  type JobTransitionInput,
  jobDueTime,
  jobEndCondition,
} from './job-state-machine.ts';
import {
  findJob,
  isFinal,
  type Job,
  type JobError,
  listOpenJobs,
  listOpenJobsPastReadyTime,
  type NewJob,
  type OpenJob,
  readProgression,
  STORAGE_FULL_ERROR,
  TIMEOUT_ERROR,
} from './job-store.ts';

interface JobsParts extends JobRunnerParts {
  isStopping(): boolean;
}

/**
 * How long a call, a poll or a control operation waits for a job, in milliseconds of real time. While the job is
 * delayed, the wait of its call starts again.
 */
export const WAIT_LIMIT_MS = 55_000;

/** Passes on to jobs what comes from outside (waiting calls, polls, control operations), as inputs of `advanceJob`. */
export class Jobs {
  readonly #parts: JobsParts;
  readonly #runner: JobRunner;
  #period = new AbortController();

  constructor(parts: JobsParts) {
    this.#parts = parts;
    this.#runner = new JobRunner(parts);
  }

  async start(): Promise<void> {
    const restart = ({ id }: OpenJob) => this.#runner.applyOrRetry(id, { kind: 'restarted' });
    await eachInSlices(listOpenJobs(this.#parts.database), this.#period.signal, restart);
    this.#runner.start();
  }

  async stop(): Promise<void> {
    this.#period.abort(stateReplacedError());
    await this.#runner.stop();
    this.#period = new AbortController();
  }

  /** `listener` is called after the commit of a job that has become final. */
  observe(listener: (job: Job) => void): () => void {
    return this.#runner.observe(listener);
  }

  add(tx: Transaction, jobs: readonly NewJob[]): Job[] {
    return jobs.map((job) => this.#runner.machine.add(tx, job));
  }

  /**
   * Counts a poll. If polls decide when the job ends, or a fault delays its end, the poll that makes the job due waits
   * for its render.
   */
  async poll(polled: Job, gone: AbortSignal): Promise<Job> {
    if (isFinal(polled.status)) return polled;
    const { database, clock } = this.#parts;
    const afterPoll = await this.#apply(polled.id, { kind: 'polled' });
    // Read again, because a render may have ended after the commit, and `renderEnd` needs the job as it is in this tick.
    const job = findJob(database, polled.id) ?? afterPoll;
    if (isFinal(job.status)) return job;
    const progression = readProgression(database, job.accountId);
    const pollsDecide = progression.mode === 'polls' || isDelayedByFault(job);
    if (!pollsDecide || !hasReachedCompletionThreshold(job, progression, clock.now())) return afterPoll;
    await withTimeout(clock, { milliseconds: WAIT_LIMIT_MS, gone }, async (signal) =>
      this.#runner.renderEnd(job, signal),
    );
    return this.endIfDue(job.id);
  }

  /**
   * Ends a job, whatever its progression. Without `failure` the job succeeds if its render does. A failure is final
   * immediately, a success after the render. If the render takes longer than {@link WAIT_LIMIT_MS}, returns the open
   * job. Throws `not_found`, and `conflict` for a final job.
   */
  async finish(jobId: string, { failure, gone }: { failure: string | undefined; gone: AbortSignal }): Promise<Job> {
    const { database, clock } = this.#parts;
    const released = await database.transact((tx) => {
      requireUnfinished(findJob(tx, jobId), jobId);
      return this.#runner.machine.apply(tx, jobId, { kind: 'finished', failure });
    });
    if (isFinal(released.status)) return released;
    const wait = (signal: AbortSignal) => this.whenFinal(jobId, signal);
    const final = await withTimeout(clock, { milliseconds: WAIT_LIMIT_MS, gone }, wait);
    return final ?? findJob(database, jobId) ?? released;
  }

  cutShort(tx: Transaction, jobId: string, error: JobError): void {
    this.#runner.machine.apply(tx, jobId, { kind: 'cut', error });
  }

  endIfDue(jobId: string): Promise<Job> {
    return this.#apply(jobId, { kind: 'due' });
  }

  /**
   * Ends due jobs in the order of their due times. Does not wait for jobs that are added meanwhile. Throws
   * `storage_full`, and `stateReplacedError` at a reset or a stop.
   */
  async endDue(): Promise<void> {
    const period = this.#period.signal;
    let due = this.#due();
    const newest = due.at(-1)?.position ?? 0;
    for (;;) {
      const renders = due.flatMap((job) => this.#runner.renderEnd(job) ?? []);
      if (renders.length === 0) break;
      await Promise.all(renders);
      period.throwIfAborted();
      due = this.#due().filter(({ position }) => position <= newest);
    }
    const { database } = this.#parts;
    const timeOf = (job: OpenJob) => jobDueTime(job, readProgression(database, job.accountId));
    const ready = due.filter(({ outcome }) => outcome).map((job) => ({ id: job.id, at: timeOf(job) }));
    ready.sort((a, b) => a.at - b.at);
    await eachInSlices(ready, period, ({ id }) => this.endIfDue(id));
  }

  #due(): OpenJob[] {
    const { database, clock } = this.#parts;
    const now = clock.now();
    return listOpenJobsPastReadyTime(database, now).filter((job) =>
      hasReachedCompletionThreshold(job, readProgression(database, job.accountId), now),
    );
  }

  /** Plans the ends of open jobs again. Call it after a change of the progression of an account or of all. */
  async replan(accountId?: string): Promise<void> {
    const { database, clock } = this.#parts;
    const open = listOpenJobs(database, accountId);
    await eachInSlices(open, this.#period.signal, (job) => {
      const next = jobEndCondition(job, readProgression(database, job.accountId), clock.now());
      return this.#runner.plan(job, next);
    });
  }

  /**
   * Returns the job once it is final. Rejects with the reason of `signal`, and at a reset or a stop. If a call waits
   * for the job, a full disk rejects too.
   */
  whenFinal(jobId: string, signal: AbortSignal): Promise<Job> {
    return this.#runner.whenFinal(jobId, signal);
  }

  /**
   * Waits for the job of a call. A job that is not final after {@link WAIT_LIMIT_MS} fails, but while it is delayed the
   * wait starts again. If the client disconnects, the progression of the account no longer delays the job, unless the
   * emulator is stopping.
   *
   * On a full disk the wait ends with an error (`#refuse` of the runner), and the job fails. If even this failure
   * cannot be written, throws `storage_full` and abandons the job. An abandoned job fails once there is room, whatever
   * its outcome [I207].
   */
  async awaitEnd({ id, waiter }: Job, gone: AbortSignal): Promise<Job> {
    if (waiter !== 'call') return this.whenFinal(id, gone);
    try {
      return await this.#endInTime(id, gone);
    } catch (error) {
      if (isStorageFullError(error)) {
        this.#runner.machine.abandon(id);
        this.#runner.applyLater(RETRY_AFTER_MS, id, { kind: 'cut', error: STORAGE_FULL_ERROR });
      } else if (gone.aborted && !this.#parts.isStopping()) await this.#runner.applyOrRetry(id, { kind: 'hung_up' });
      throw error;
    }
  }

  /** A job that is given up is final when the loop reads it again, unless a delay remains. Then the loop waits again. */
  async #endInTime(jobId: string, gone: AbortSignal): Promise<Job> {
    for (;;) {
      const wait = (signal: AbortSignal) => this.whenFinal(jobId, signal).catch(refusedByDisk);
      const end = await withTimeout(this.#parts.clock, { milliseconds: WAIT_LIMIT_MS, gone }, wait);
      if (end && end !== 'refused') return end;
      if (end === 'refused') await this.#apply(jobId, { kind: 'gave_up', error: STORAGE_FULL_ERROR });
      else if (this.#isUndelayed(jobId)) await this.#apply(jobId, { kind: 'gave_up', error: TIMEOUT_ERROR });
    }
  }

  #isUndelayed(jobId: string): boolean {
    const { database, clock } = this.#parts;
    const job = findJob(database, jobId);
    return (
      job !== undefined && hasReachedCompletionThreshold(job, readProgression(database, job.accountId), clock.now())
    );
  }

  #apply(jobId: string, input: JobTransitionInput): Promise<Job> {
    return this.#parts.database.transactOrRetry((tx) => this.#runner.machine.apply(tx, jobId, input));
  }
}

function requireUnfinished(job: Job | undefined, id: string): void {
  if (!job) throw new EmulatorError('not_found', `There is no job ${quoted(id)}. GET /_emulator/jobs lists them.`);
  if (!isFinal(job.status)) return;
  throw new EmulatorError(
    'conflict',
    `The job ${id} has ${job.status} already, and a final job does not change. To decide the end of a job, set {"mode": "manual"} with PUT /_emulator/progression before the order.`,
  );
}

function refusedByDisk(error: unknown): 'refused' {
  if (isStorageFullError(error)) return 'refused';
  throw error;
}

async function eachInSlices<T>(
  items: readonly T[],
  signal: AbortSignal,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const slice = new TimeSlice();
  const pending: Promise<unknown>[] = [];
  for (const item of items) {
    pending.push(work(item));
    if (!slice.isOver) continue;
    await Promise.all(pending.splice(0));
    await slice.turn();
    signal.throwIfAborted();
  }
  await Promise.all(pending);
}
