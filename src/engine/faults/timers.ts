import type { Clock } from '../../base/clock/clock.ts';
import { overtaken } from '../../base/errors.ts';

/** Something that waits for what an account does: `wait` is in milliseconds of real time. */
interface Waiter {
  accountId: string;
  wait: number;
  /** Whether each new request or delivery restarts it; otherwise an answer ends it. */
  isQuiet: boolean;
  /** What has been read meanwhile: reading it again starts nothing new. */
  seen: Set<string>;
  cancel: () => void;
  end: () => void;
}

/** Waits that depend on what accounts do; while there are none, nothing is counted. */
export class Timers {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #waiters = new Set<Waiter>();
  readonly #onChange: () => void;

  constructor(clock: Pick<Clock, 'after'>, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  get isWatched(): boolean {
    return this.#waiters.size > 0;
  }

  /** Resolves when nothing of the account has started for so long, or when `ended` aborts. */
  untilQuiet(accountId: string, milliseconds: number, ended: AbortSignal): Promise<void> {
    return this.#wait({ accountId, wait: milliseconds, isQuiet: true }, ended);
  }

  /** Resolves when another request of the account was answered, at the latest after so long, or when `ended` aborts. */
  untilAnswered(accountId: string, milliseconds: number, ended: AbortSignal): Promise<void> {
    return this.#wait({ accountId, wait: milliseconds, isQuiet: false }, ended);
  }

  /** A request or a delivery of the account starts; `read` is the URL of a request that only reads. */
  started(accountId: string, read?: string): void {
    for (const waiter of this.#waiters) {
      if (!waiter.isQuiet || waiter.accountId !== accountId) continue;
      if (read !== undefined && waiter.seen.has(read)) continue;
      if (read !== undefined) waiter.seen.add(read);
      waiter.cancel();
      waiter.cancel = this.#clock.after(waiter.wait, waiter.end);
    }
  }

  /** An answer to the account is written. */
  answered(accountId: string): void {
    for (const waiter of this.#waiters) {
      if (!waiter.isQuiet && waiter.accountId === accountId) waiter.end();
    }
  }

  /** Ends the waits for quiet at once: those of one account, or all. */
  hush(accountId?: string): void {
    for (const { isQuiet, accountId: waiting, end } of [...this.#waiters]) {
      if (isQuiet && (accountId === undefined || waiting === accountId)) end();
    }
  }

  #wait(what: Omit<Waiter, 'seen' | 'cancel' | 'end'>, ended: AbortSignal): Promise<void> {
    if (ended.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        waiter.cancel();
        this.#waiters.delete(waiter);
        ended.removeEventListener('abort', end);
        this.#onChange();
        resolve();
      };
      const waiter: Waiter = { ...what, seen: new Set(), end, cancel: this.#clock.after(what.wait, end) };
      this.#waiters.add(waiter);
      ended.addEventListener('abort', end);
      this.#onChange();
    });
  }
}

/** Waits of real time that effects ask for; a reset or a stop ends them all. */
export class RealWaits {
  readonly #clock: Clock;
  readonly #running = new Set<(error: Error) => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves after so many milliseconds, or earlier when `gone` aborts; rejects with `overtaken` at a reset. */
  wait(milliseconds: number, gone: AbortSignal): Promise<void> {
    if (milliseconds === 0 || gone.aborted) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        cancel();
        this.#running.delete(overtake);
        gone.removeEventListener('abort', leave);
        settle();
      };
      const overtake = (error: Error) => finish(() => reject(error));
      const leave = () => finish(resolve);
      const cancel = this.#clock.after(milliseconds, leave);
      gone.addEventListener('abort', leave);
      this.#running.add(overtake);
    });
  }

  forget(): void {
    for (const overtake of this.#running) overtake(overtaken());
  }
}
