/** How many are read at once. */
const PAGE = 500;

/** A list that is read newest first, by positions that grow with time. */
export interface OrderedRows<Row> {
  read(before: number, limit: number): Row[];
  positionOf(row: Row): number;
}

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

  /** Older rows of that kind were left out elsewhere. */
  cutOff(kind: string): void {
    this.#cut.add(kind);
  }

  /** `rows`: newest first, up to `limit`. */
  keep<T>(kind: string, rows: readonly T[]): T[] {
    if (rows.length > this.most) this.#cut.add(kind);
    return rows.slice(0, this.most);
  }

  /** Newest first, as they come. */
  async *each<T>(kind: string, rows: AsyncIterable<T>): AsyncGenerator<T> {
    let left = this.most;
    for await (const row of rows) {
      if (left === 0) return this.cutOff(kind);
      left -= 1;
      yield row;
    }
  }

  /** Oldest first. Of the pages on the way to the oldest only the positions are kept. */
  *oldestFirst<T>(kind: string, { read, positionOf }: OrderedRows<T>): Generator<T> {
    const pages: { before: number; limit: number }[] = [];
    let [before, left] = [Number.MAX_SAFE_INTEGER, this.most];
    for (;;) {
      const limit = Math.min(PAGE, left + 1);
      const rows = read(before, limit);
      if (rows.length > left) this.cutOff(kind);
      const kept = Math.min(rows.length, left);
      if (kept > 0) pages.push({ before, limit: kept });
      left -= kept;
      const last = rows.at(-1);
      if (!last || rows.length < limit || rows.length > kept) break;
      before = positionOf(last);
    }
    for (const page of pages.toReversed()) yield* read(page.before, page.limit).toReversed();
  }
}
