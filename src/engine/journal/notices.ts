import type { Cancel } from '../../base/clock/clock.ts';
import { stateReplacedError } from '../../base/errors.ts';

/**
 * A change that clients may wait for. One in the database is published after its commit. A message in an inbox has no
 * account.
 */
export interface ChangeNotice {
  kind: 'job' | 'run' | 'event' | 'delivery' | 'message' | 'hold';
  id: string;
  accountId: string | null;
  type?: string;
}

interface Listener {
  hear(notice: ChangeNotice): void;
  drop(): void;
}

export class Notices {
  readonly #listeners = new Set<Listener>();
  readonly #observers = new Set<(notice: ChangeNotice) => void>();

  get waiting(): number {
    return this.#listeners.size;
  }

  readonly publish = (notice: ChangeNotice): void => {
    for (const listener of this.#listeners) listener.hear(notice);
    for (const observer of this.#observers) observer(notice);
  };

  of(kind: ChangeNotice['kind']): (changed: { id: string; accountId: string | null }) => void {
    return ({ id, accountId }) => this.publish({ kind, id, accountId });
  }

  observe(observer: (notice: ChangeNotice) => void): Cancel {
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  }

  /**
   * Resolves with what `look` finds, now or after a notice. Rejects with the signal's reason, with what `look` throws,
   * and with `stateReplacedError` at a reset or a stop.
   */
  async until<T>(look: (notice?: ChangeNotice) => T | undefined, signal: AbortSignal): Promise<T> {
    const found = look();
    if (found !== undefined) return found;
    signal.throwIfAborted();
    return this.#listen(look, signal);
  }

  stop(): void {
    for (const listener of this.#listeners) listener.drop();
  }

  #listen<T>(look: (notice: ChangeNotice) => T | undefined, signal: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#listeners.delete(listener);
        signal.removeEventListener('abort', abort);
      };
      const fail = (reason: unknown) => {
        leave();
        reject(reason);
      };
      const abort = () => fail(signal.reason);
      const hear = (notice: ChangeNotice) => {
        try {
          const found = look(notice);
          if (found === undefined) return;
          leave();
          resolve(found);
        } catch (error) {
          fail(error);
        }
      };
      const listener: Listener = { hear, drop: () => fail(stateReplacedError()) };
      this.#listeners.add(listener);
      signal.addEventListener('abort', abort);
    });
  }
}
