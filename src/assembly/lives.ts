/**
 * What has timers, workers, files, or a memory of the state, and so has to know of its changes. Whatever such a part has
 * to do at a start, a reset, a restore or a stop is one of these, and it stands in the list of `living.ts`.
 */
export interface Life {
  /** Takes up the state that there is now, whatever was known of another one. */
  wake?(): void | Promise<void>;
  /** An end is near, and requests still run. */
  warn?(): void | Promise<void>;
  /**
   * Cuts off what runs, `graceMs` of real time after it began to be cut off, and tells whoever waits. Called twice: what
   * was on its way out may have begun something anew.
   */
  rest?(graceMs: number): void | Promise<void>;
  /** A reset: forgets also what outlives a restore. */
  renew?(): void | Promise<void>;
  /** The end: nothing stays open, and nothing is planned any more. */
  close?(): void | Promise<void>;
}

/** All lives of an emulator, in rows: each row needs those above it only, and so is woken after and put to rest before them. */
export class Lives {
  readonly #rows: readonly (readonly Life[])[];

  constructor(rows: readonly (readonly Life[])[]) {
    this.#rows = rows;
  }

  async wake(): Promise<void> {
    for (const life of this.#rows.flat()) await life.wake?.();
  }

  async warn(): Promise<void> {
    await Promise.all(this.#rows.flat().map((life) => life.warn?.()));
  }

  async rest(graceMs: number): Promise<void> {
    await this.#restOnce(graceMs);
    await this.#restOnce(0);
  }

  async renew(): Promise<void> {
    for (const life of this.#rows.flat()) await life.renew?.();
  }

  async close(): Promise<void> {
    for (const life of this.#rows.flat().toReversed()) await life.close?.();
  }

  /** Those of one row are told at the same time: they wait for each other. */
  async #restOnce(graceMs: number): Promise<void> {
    for (const row of this.#rows.toReversed()) {
      await Promise.all(row.toReversed().map((life) => life.rest?.(graceMs)));
    }
  }
}
