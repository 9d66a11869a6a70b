import { EventEmitter, once } from 'node:events';
import type { Job } from './job.ts';

/** Calls and runs that wait for the end of a job. */
export class WaitingCalls {
  readonly #ends = new EventEmitter().setMaxListeners(0);

  /** Resolves when the job is final. Rejects with the reason of `signal`, and with the failure that `refuse` is given. */
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

  /** The job is final. */
  resolve(job: Job): void {
    this.#ends.emit(job.id, job);
  }

  /** The end of the job could not be written. */
  refuse(jobId: string, failure: unknown): void {
    this.#ends.emit(jobId, failure);
  }

  /** A reset or a stop. */
  rejectAll(reason: Error): void {
    // `once` rejects with what is emitted as an error.
    if (this.#ends.listenerCount('error') > 0) this.#ends.emit('error', reason);
    this.#ends.removeAllListeners();
  }
}
