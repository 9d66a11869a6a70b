import type { ServerResponse } from 'node:http';
import type { Clock } from '../../base/clock/clock.ts';
import { EmulatorError } from '../../base/errors.ts';

const MINUTE = 60_000;

/** Requests per key and calendar minute of the emulator's clock. */
export class RateLimit {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #used = new Map<string, number>();
  #minute = 0;

  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** Counts a request and writes the `ratelimit-*` headers. Throws `rate_limited`. */
  count(keyId: string, response: ServerResponse): void {
    this.#turn();
    const used = (this.#used.get(keyId) ?? 0) + 1;
    this.#used.set(keyId, used);
    this.show(keyId, response);
    if (used > this.#limit) throw limited(this.#limit, this.#reset());
  }

  /** Writes the headers without counting. Without a key, the whole limit is left. */
  show(keyId: string | undefined, response: ServerResponse): void {
    this.#turn();
    const used = keyId === undefined ? 0 : (this.#used.get(keyId) ?? 0);
    response.setHeader('ratelimit-limit', this.#limit);
    response.setHeader('ratelimit-remaining', Math.max(0, this.#limit - used));
    response.setHeader('ratelimit-reset', this.#reset());
  }

  wake(): void {
    this.#used.clear();
  }

  #turn(): void {
    const minute = Math.floor(this.#clock.now() / MINUTE);
    if (minute !== this.#minute) this.#used.clear();
    this.#minute = minute;
  }

  #reset(): number {
    return Math.ceil(((this.#minute + 1) * MINUTE - this.#clock.now()) / 1000);
  }
}

function limited(limit: number, reset: number): EmulatorError {
  return new EmulatorError(
    'rate_limited',
    `This key has made its ${limit} requests of this minute (--rate-limit ${limit}); wait ${reset} s of the emulator's clock.`,
    { headers: { 'retry-after': String(reset) }, choice: 'C181' },
  );
}
