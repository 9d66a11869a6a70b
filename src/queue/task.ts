/** What waits in a queue: a row of the database, and whose it is. */
export interface Piece {
  id: string;
  owner: string;
}

/** A piece that is being worked on. */
export class Task<Item extends Piece> {
  readonly item: Item;
  readonly #end = new AbortController();
  readonly #onRest: () => void;
  #isResting = false;
  #turns = 0;

  constructor(item: Item, onRest: () => void) {
    this.item = item;
    this.#onRest = onRest;
  }

  /** Ends the work: it was called off, or the emulator stops. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** Whether it waits for something that is not due, or that others work on. */
  get isResting(): boolean {
    return this.#isResting;
  }

  /** How often it has gone on after a rest. */
  get turns(): number {
    return this.#turns;
  }

  rest(isResting: boolean): void {
    if (this.#isResting && !isResting) this.#turns += 1;
    this.#isResting = isResting;
    if (isResting) this.#onRest();
  }

  async resting<T>(wait: () => Promise<T>): Promise<T> {
    this.rest(true);
    try {
      return await wait();
    } finally {
      this.rest(false);
    }
  }

  cut(reason: unknown): void {
    this.#end.abort(reason);
  }
}
