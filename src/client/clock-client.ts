import type { ClockReading } from './client-records.ts';
import type { ControlCalls } from './control-surface.ts';
import { type Duration, secondsOf } from './duration.ts';

/** The emulator's clock. Every move resolves when all that thereby fell due has settled. */
export class ClockClient {
  readonly #calls: ControlCalls;

  constructor(calls: ControlCalls) {
    this.#calls = calls;
  }

  read(): Promise<ClockReading> {
    return this.#calls.getClock();
  }

  advance(by: Duration): Promise<ClockReading> {
    return this.#calls.advanceClock({ seconds: secondsOf(by) });
  }

  /** Sets the time; it runs on, or stays frozen, as before. */
  set(now: Date | string): Promise<ClockReading> {
    return this.#calls.setClock({ now: new Date(now).toISOString() });
  }

  /** Stops the clock, where it is or at `now`. */
  freeze(now?: Date | string): Promise<ClockReading> {
    const at = now === undefined ? {} : { now: new Date(now).toISOString() };
    return this.#calls.setClock({ ...at, frozen: true });
  }

  unfreeze(): Promise<ClockReading> {
    return this.#calls.setClock({ frozen: false });
  }
}
