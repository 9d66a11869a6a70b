import type { StartWriteBatch, WriteBatch, Writer } from './transaction.ts';

/** All that one group holds. */
export class WriteBatches {
  readonly #writer: Writer;
  readonly #started = new Map<StartWriteBatch<WriteBatch>, WriteBatch>();
  #isBroken = false;

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  of<Rows extends WriteBatch>(begin: StartWriteBatch<Rows>): Rows {
    const started = this.#started.get(begin);
    if (started) return started as Rows;
    const rows = begin(this.#writer);
    this.#started.set(begin, rows);
    return rows;
  }

  /** How far each is; what is begun later is at nothing. */
  mark(): number[] {
    const marks: number[] = [];
    for (const rows of this.#started.values()) marks.push(rows.length);
    return marks;
  }

  /** Some of what others had held could not be written, or was written in part: the group cannot go on. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Writes what was held at a mark. */
  writeTo(marks: readonly number[]): void {
    this.#isBroken = true;
    let place = 0;
    for (const rows of this.#started.values()) {
      const count = marks[place++] ?? 0;
      if (count > 0) rows.write(count);
    }
    this.#isBroken = false;
  }

  writeAll(): void {
    for (const rows of this.#started.values()) if (rows.length > 0) rows.write(rows.length);
  }

  cutTo(marks: readonly number[]): void {
    let place = 0;
    for (const rows of this.#started.values()) rows.cut(marks[place++] ?? 0);
  }
}
