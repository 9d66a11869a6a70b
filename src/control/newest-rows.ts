/** Keeps of each kind of row the newest that there is room for, and knows of which there were more. */
export class NewestRows {
  readonly most: number;
  readonly #cut = new Set<string>();

  constructor(most: number) {
    this.most = most;
  }

  /** How many are to be read, so that it is seen whether there are more than are kept. */
  get limit(): number {
    return this.most + 1;
  }

  /** Kinds of which older rows were left out. */
  get cut(): string[] {
    return [...this.#cut];
  }

  /** `rows`: newest first, up to `limit`. */
  keep<T>(kind: string, rows: readonly T[]): T[] {
    if (rows.length > this.most) this.#cut.add(kind);
    return rows.slice(0, this.most);
  }
}
