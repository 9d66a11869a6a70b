import type { ControlConnection } from './control-connection.ts';
import { type Duration, secondsOf } from './duration.ts';

/** The emulator's time as ISO 8601, and whether it stands still. */
export interface ClockReading {
  now: string;
  frozen: boolean;
}

/** The emulator's clock. Every move resolves when all that thereby fell due has settled. */
export class ClockClient {
  readonly #control: ControlConnection;

  constructor(control: ControlConnection) {
    this.#control = control;
  }

  read(): Promise<ClockReading> {
    return this.#control.get('/clock');
  }

  advance(by: Duration): Promise<ClockReading> {
    return this.#control.post('/clock/advance', { seconds: secondsOf(by) });
  }

  /** Sets the time; it runs on, or stays frozen, as before. */
  set(now: Date | string): Promise<ClockReading> {
    return this.#control.put('/clock', { now: new Date(now).toISOString() });
  }

  /** Stops the clock, where it is or at `now`. */
  freeze(now?: Date | string): Promise<ClockReading> {
    const at = now === undefined ? {} : { now: new Date(now).toISOString() };
    return this.#control.put('/clock', { ...at, frozen: true });
  }

  unfreeze(): Promise<ClockReading> {
    return this.#control.put('/clock', { frozen: false });
  }
}
