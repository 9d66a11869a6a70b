import type { BeginGathering, Gathering, Writer } from './transaction.ts';

/** All that one group holds. */
export class Gatherings {
  readonly #writer: Writer;
  readonly #begun = new Map<BeginGathering<Gathering>, Gathering>();
  #isBroken = false;

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  of<Rows extends Gathering>(begin: BeginGathering<Rows>): Rows {
    const begun = this.#begun.get(begin);
    if (begun) return begun as Rows;
    const rows = begin(this.#writer);
    this.#begun.set(begin, rows);
    return rows;
  }

  /** How far each is; what is begun later is at nothing. */
  mark(): number[] {
    const marks: number[] = [];
    for (const rows of this.#begun.values()) marks.push(rows.length);
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
    for (const rows of this.#begun.values()) {
      const count = marks[place++] ?? 0;
      if (count > 0) rows.write(count);
    }
    this.#isBroken = false;
  }

  writeAll(): void {
    for (const rows of this.#begun.values()) if (rows.length > 0) rows.write(rows.length);
  }

  cutTo(marks: readonly number[]): void {
    let place = 0;
    for (const rows of this.#begun.values()) rows.cut(marks[place++] ?? 0);
  }
}
