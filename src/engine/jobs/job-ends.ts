import { EventEmitter, once } from 'node:events';
import type { Cancel, Clock } from '../../base/clock/clock.ts';
import type { PendingCommit } from '../../base/clock/due-queue.ts';
import type { Job } from './job-store.ts';

/** Settles a job that nobody reads, at a time of the emulator's clock or soon. */
interface PlannedEnd {
  at: number | 'soon';
  cancel: Cancel;
}

/** At most one timer per job. */
export class PlannedEnds {
  readonly #clock: Clock;
  readonly #planned = new Map<string, PlannedEnd>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Undefined if nothing is planned for the job. */
  timeOf(jobId: string): PlannedEnd['at'] | undefined {
    return this.#planned.get(jobId)?.at;
  }

  /** At a time of the emulator's clock, in milliseconds. An infinite time plans nothing. */
  at(time: number, jobId: string, settle: () => Promise<void> | PendingCommit): void {
    this.drop(jobId);
    if (!Number.isFinite(time)) return;
    const fallDue = () => {
      this.#planned.delete(jobId);
      return settle();
    };
    this.#planned.set(jobId, { at: time, cancel: this.#clock.at(time, fallDue) });
  }

  soon(milliseconds: number, jobId: string, settle: () => Promise<void>): void {
    this.drop(jobId);
    this.#planned.set(jobId, { at: 'soon', cancel: this.#clock.after(milliseconds, () => void settle()) });
  }

  drop(jobId: string): void {
    this.#planned.get(jobId)?.cancel();
    this.#planned.delete(jobId);
  }

  clear(): void {
    for (const { cancel } of this.#planned.values()) cancel();
    this.#planned.clear();
  }
}

export class WaitingCalls {
  readonly #ends = new EventEmitter().setMaxListeners(0);

  /** Rejects with the reason of `signal`, or with the failure given to `refuse`. */
  async untilFinal(jobId: string, signal: AbortSignal): Promise<Job> {
    try {
      const [end] = (await once(this.#ends, jobId, { signal })) as [Job | Error];
      if (end instanceof Error) throw end;
      return end;
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  }

  isAwaited(jobId: string): boolean {
    return this.#ends.listenerCount(jobId) > 0;
  }

  resolve(job: Job): void {
    this.#ends.emit(job.id, job);
  }

  refuse(jobId: string, failure: unknown): void {
    this.#ends.emit(jobId, failure);
  }

  rejectAll(reason: Error): void {
    // `once` rejects if an error is emitted.
    if (this.#ends.listenerCount('error') > 0) this.#ends.emit('error', reason);
    this.#ends.removeAllListeners();
  }
}
