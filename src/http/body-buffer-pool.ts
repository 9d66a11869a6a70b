import type { Cancel, Clock } from '../clock/clock.ts';

/** How long memory is kept for the next body, in milliseconds of real time. */
const KEPT = 10_000;

/**
 * Memory for large bodies, reused one after another: allocating many megabytes for each makes V8 stop for a full garbage
 * collection.
 */
export class BodyBufferPool {
  readonly #clock: Clock;
  #spare: Buffer | undefined;
  #timer: Cancel | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** At least `length` bytes, whatever they hold; undefined where none lie ready. */
  take(length: number): Buffer | undefined {
    const spare = this.#spare;
    if (!spare || spare.length < length) return undefined;
    this.#forget();
    return spare;
  }

  /** Takes back the memory of a body that is not used any more. */
  giveBack(body: Buffer): void {
    const whole = Buffer.from(body.buffer);
    if (this.#spare && this.#spare.length >= whole.length) return;
    this.#forget();
    this.#spare = whole;
    const forget = () => this.#forget();
    this.#timer = this.#clock.after(KEPT, forget, forget);
  }

  #forget(): void {
    this.#timer?.();
    this.#timer = undefined;
    this.#spare = undefined;
  }
}
