import type { Clock } from '../../clock/clock.ts';
import { overtaken } from '../../errors.ts';

/** Waits of real time that were asked for; a reset or a stop ends them all. */
export class RealWaits {
  readonly #clock: Clock;
  readonly #running = new Set<(error: Error) => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves after so many milliseconds, or when `gone` ends it before; rejects with `overtaken` at a reset. */
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
