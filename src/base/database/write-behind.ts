import { type Cancel, type Clock, Slice } from '../clock/clock.ts';

/** How long an item may wait to be written, in milliseconds of real time. */
const WRITE_AFTER = 50;
/** The same for items that had to wait while others were written. */
const GO_ON_AFTER = 1;
/** How many items are written in one transaction. */
const TOGETHER = 32;

/** How much is in a table: rows, and characters of all of them. */
export interface TableSize {
  rows: number;
  bytes: number;
}

/** A table that grows at its end, and of which the oldest rows are removed. */
export interface LogTable<Row> {
  /** All or none. */
  insertAll(rows: readonly Row[]): void;
  size(): TableSize;
  /** Answers how much was removed. */
  removeOldest(count: number): TableSize;
}

export interface WriteBehindParts<Item, Row> {
  clock: Clock;
  table: LogTable<Row>;
  /** So many items are written without waiting longer. */
  batch: number;
  bounds: TableSize;
  rowsOf(items: readonly Item[]): Row[];
  sizeOf(row: Row): number;
  /** Called when rows could not be written, as on a full disk; the service goes on without them. */
  onError(error: unknown): void;
}

/** Writes items to a table after the answers that they belong to: 50 ms after the first of a batch, or once it is full. */
export class WriteBehind<Item, Row> {
  readonly #parts: WriteBehindParts<Item, Row>;
  #items: Item[] = [];
  #timer: Cancel | undefined;
  /** Counted at the first write: a start does not wait for it. */
  #size: TableSize | undefined;
  #isClosed = false;

  constructor(parts: WriteBehindParts<Item, Row>) {
    this.#parts = parts;
  }

  add(item: Item): void {
    if (this.#isClosed) return;
    this.#items.push(item);
    if (this.#items.length >= this.#parts.batch) this.#writeSlice();
    else if (!this.#timer) this.#plan(WRITE_AFTER);
  }

  /** Writes the items at once: a reader sees all that there are. */
  flush(): void {
    this.#stopTimer();
    while (this.#items.length > 0) this.#writeSome();
  }

  /** Rows were removed by other means: they are counted anew. */
  recount(): void {
    this.#size = undefined;
  }

  close(): void {
    this.flush();
    this.#isClosed = true;
  }

  #plan(wait: number): void {
    // A reset clears the clock: the items are written then.
    this.#timer = this.#parts.clock.after(
      wait,
      () => this.#writeSlice(),
      () => this.flush(),
    );
  }

  #stopTimer(): void {
    this.#timer?.();
    this.#timer = undefined;
  }

  /** Writes for some milliseconds: long items would hold up who comes next. */
  #writeSlice(): void {
    this.#stopTimer();
    const slice = new Slice();
    while (this.#items.length > 0 && !slice.isOver) this.#writeSome();
    if (this.#items.length > 0) this.#plan(GO_ON_AFTER);
  }

  #writeSome(): void {
    const rows = this.#parts.rowsOf(this.#items.splice(0, TOGETHER));
    if (rows.length > 0) this.#write(rows);
  }

  #write(rows: Row[]): void {
    const { table, bounds, onError } = this.#parts;
    try {
      table.insertAll(rows);
      const size = this.#sizeWith(rows);
      // More than are written at once, so that a table that is too large comes to its size.
      if (size.rows > bounds.rows || size.bytes > bounds.bytes) this.#removeOldest(2 * TOGETHER);
    } catch (error) {
      onError(error);
    }
  }

  /** `rows` are in the table already. */
  #sizeWith(rows: readonly Row[]): TableSize {
    const { table, sizeOf } = this.#parts;
    if (!this.#size) {
      this.#size = table.size();
      return this.#size;
    }
    this.#size.rows += rows.length;
    for (const row of rows) this.#size.bytes += sizeOf(row);
    return this.#size;
  }

  /** The pages of removed rows are used by the next ones. */
  #removeOldest(count: number): void {
    const removed = this.#parts.table.removeOldest(count);
    if (!this.#size) return;
    this.#size.rows -= removed.rows;
    this.#size.bytes -= removed.bytes;
  }
}
