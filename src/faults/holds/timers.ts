import type { Clock } from '../../clock/clock.ts';

/** Somebody who waits for what an account does: `wait` is in milliseconds of real time. */
interface Waiter {
  accountId: string;
  wait: number;
  /** Whether each beginning puts it off; else an answer ends it. */
  isQuiet: boolean;
  /** What has been read meanwhile: who reads it again begins nothing new. */
  seen: Set<string>;
  cancel: () => void;
  end: () => void;
}

/** What accounts do, for those who wait for it: nobody counts anything while nobody does. */
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

  /** Resolves when nothing of the account has begun for so long, or when `ended` aborts. */
  untilQuiet(accountId: string, milliseconds: number, ended: AbortSignal): Promise<void> {
    return this.#wait({ accountId, wait: milliseconds, isQuiet: true }, ended);
  }

  /** Resolves when something else of the account was answered, at the latest after so long, or when `ended` aborts. */
  untilAnswered(accountId: string, milliseconds: number, ended: AbortSignal): Promise<void> {
    return this.#wait({ accountId, wait: milliseconds, isQuiet: false }, ended);
  }

  /** A request or a delivery of the account begins; `read` is what a request only looks at. */
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

  /** What waits for quiet comes at once: of one account, or of all. */
  hush(accountId?: string): void {
    for (const { isQuiet, accountId: whose, end } of [...this.#waiters]) {
      if (isQuiet && (accountId === undefined || whose === accountId)) end();
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
