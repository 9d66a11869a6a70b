/** Serves the next thing that a lane holds; resolves with whether there was one. Never rejects. */
export type Serve = (lane: string, signal: AbortSignal) => Promise<boolean>;

/**
 * A lane per endpoint: within one, strictly one after another; between them, side by side up to a limit, each in turn.
 * Holds names only: what waits in a lane is in the database.
 */
export class DeliveryLanes {
  readonly #serve: Serve;
  readonly #limit: number;
  readonly #woken = new Set<string>();
  readonly #busy = new Map<string, AbortController>();
  readonly #idle = new Set<() => void>();
  #open = false;

  constructor(limit: number, serve: Serve) {
    this.#limit = limit;
    this.#serve = serve;
  }

  open(): void {
    this.#open = true;
    this.#pump();
  }

  /** Says that a lane may hold something. */
  wake(lane: string): void {
    this.#woken.add(lane);
    this.#pump();
  }

  /** Cuts short what a lane is at. */
  cancel(lane: string, reason: Error): void {
    this.#busy.get(lane)?.abort(reason);
  }

  /** Begins nothing new and forgets who was woken. */
  close(): void {
    this.#open = false;
    this.#woken.clear();
  }

  /** Cuts short what all lanes are at. */
  cancelAll(reason: Error): void {
    for (const controller of this.#busy.values()) controller.abort(reason);
  }

  /** Resolves when nothing is being served and nobody waits for a turn. */
  settled(): Promise<void> {
    if (this.#isIdle()) return Promise.resolve();
    return new Promise((resolve) => this.#idle.add(resolve));
  }

  #isIdle(): boolean {
    return this.#busy.size === 0 && (this.#woken.size === 0 || !this.#open);
  }

  #pump(): void {
    if (!this.#open) return;
    for (const lane of this.#woken) {
      if (this.#busy.size >= this.#limit) return;
      if (this.#busy.has(lane)) continue;
      this.#woken.delete(lane);
      void this.#occupy(lane);
    }
  }

  async #occupy(lane: string): Promise<void> {
    const controller = new AbortController();
    this.#busy.set(lane, controller);
    const served = await this.#serve(lane, controller.signal);
    this.#busy.delete(lane);
    if (served && this.#open) this.#woken.add(lane);
    this.#pump();
    if (!this.#isIdle()) return;
    for (const resolve of this.#idle) resolve();
    this.#idle.clear();
  }
}
