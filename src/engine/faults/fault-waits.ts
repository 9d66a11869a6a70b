import type { Clock } from '../../base/clock/clock.ts';
import { stateReplacedError } from '../../base/errors.ts';

interface Waiter {
  accountId: string;
  milliseconds: number;
  /**
   * True for `untilQuiet`: each request or delivery of the account restarts the wait, except a second read of the same
   * URL. False for `untilAnswered`: the next response ends the wait.
   */
  isQuiet: boolean;
  seen: Set<string>;
  cancel: () => void;
  end: () => void;
}

export class FaultWaits {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #delays = new Set<(error: Error) => void>();
  readonly #waiters = new Set<Waiter>();

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  get isWatched(): boolean {
    return this.#waiters.size > 0;
  }

  /** Waits in real time, at most until `gone` aborts. Rejects with `stateReplacedError` at a reset or a stop. */
  delay(milliseconds: number, gone: AbortSignal): Promise<void> {
    if (milliseconds === 0 || gone.aborted) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        cancel();
        this.#delays.delete(overtake);
        gone.removeEventListener('abort', leave);
        settle();
      };
      const overtake = (error: Error) => finish(() => reject(error));
      const leave = () => finish(resolve);
      const cancel = this.#clock.after(milliseconds, leave);
      gone.addEventListener('abort', leave);
      this.#delays.add(overtake);
    });
  }

  /** Resolves once the account had no new request or delivery for `milliseconds`, at `hush`, or when `ended` aborts. */
  untilQuiet(accountId: string, milliseconds: number, ended: AbortSignal): Promise<void> {
    return this.#wait({ accountId, milliseconds, isQuiet: true }, ended);
  }

  /** Resolves at the next response of the account, after `milliseconds`, or when `ended` aborts. */
  untilAnswered(accountId: string, milliseconds: number, ended: AbortSignal): Promise<void> {
    return this.#wait({ accountId, milliseconds, isQuiet: false }, ended);
  }

  noteActivity(accountId: string, read?: string): void {
    for (const waiter of this.#waiters) {
      if (!waiter.isQuiet || waiter.accountId !== accountId) continue;
      if (read !== undefined && waiter.seen.has(read)) continue;
      if (read !== undefined) waiter.seen.add(read);
      waiter.cancel();
      waiter.cancel = this.#clock.after(waiter.milliseconds, waiter.end);
    }
  }

  /** Ends the waits of `untilAnswered`. */
  noteResponse(accountId: string): void {
    for (const waiter of this.#waiters) {
      if (!waiter.isQuiet && waiter.accountId === accountId) waiter.end();
    }
  }

  hush(accountId?: string): void {
    for (const { isQuiet, accountId: waiting, end } of [...this.#waiters]) {
      if (isQuiet && (accountId === undefined || waiting === accountId)) end();
    }
  }

  forget(): void {
    for (const overtake of this.#delays) overtake(stateReplacedError());
  }

  #wait(what: Omit<Waiter, 'seen' | 'cancel' | 'end'>, ended: AbortSignal): Promise<void> {
    if (ended.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        waiter.cancel();
        this.#waiters.delete(waiter);
        ended.removeEventListener('abort', end);
        resolve();
      };
      const waiter: Waiter = { ...what, seen: new Set(), end, cancel: this.#clock.after(what.milliseconds, end) };
      this.#waiters.add(waiter);
      ended.addEventListener('abort', end);
    });
  }
}
