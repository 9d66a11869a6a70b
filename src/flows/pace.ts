/** Lets a few through in each turn of the event loop; the others wait for theirs, in the order in which they came. */
export class Pace {
  readonly #perTurn: number;
  readonly #waiting: (() => void)[] = [];
  #used = 0;

  constructor(perTurn: number) {
    this.#perTurn = perTurn;
  }

  /** Resolves when it is one's turn. */
  async turn(): Promise<void> {
    if (this.#used === 0) setImmediate(() => this.#next());
    if (this.#used < this.#perTurn) this.#used += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #next(): void {
    const through = this.#waiting.splice(0, this.#perTurn);
    this.#used = through.length;
    if (this.#used > 0) setImmediate(() => this.#next());
    for (const resolve of through) resolve();
  }
}
