import { type Cancel, type Clock, TimeSlice } from '../clock/clock.ts';

const WRITE_AFTER = 50;
const GO_ON_AFTER = 1;
const TOGETHER = 32;

export interface TableSize {
  rows: number;
  bytes: number;
}

export interface LogTable<Row> {
  insertAll(rows: readonly Row[]): void;
  size(): TableSize;
  removeOldest(count: number): TableSize;
}

interface WriteBehindParts<Item, Row> {
  clock: Clock;
  table: LogTable<Row>;
  batch: number;
  bounds: TableSize;
  rowsOf(items: readonly Item[]): Row[];
  sizeOf(row: Row): number;
  onError(error: unknown): void;
}

/** Collects items, and writes them 50 ms after the first one, or once a batch is full. */
export class WriteBehind<Item, Row> {
  readonly #parts: WriteBehindParts<Item, Row>;
  #items: Item[] = [];
  #timer: Cancel | undefined;
  /** Counted at the first write, because counting would slow the start. */
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

  flush(): void {
    this.#stopTimer();
    while (this.#items.length > 0) this.#writeSome();
  }

  recount(): void {
    this.#size = undefined;
  }

  close(): void {
    this.flush();
    this.#isClosed = true;
  }

  #plan(wait: number): void {
    // If the clock is cleared, as at a reset, a restore or a stop, the items are written immediately.
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

  #writeSlice(): void {
    this.#stopTimer();
    const slice = new TimeSlice();
    while (this.#items.length > 0 && !slice.isOver) this.#writeSome();
    if (this.#items.length > 0) this.#plan(GO_ON_AFTER);
  }

  #writeSome(): void {
    const rows = this.#parts.rowsOf(this.#items.splice(0, TOGETHER));
    if (rows.length === 0) return;
    const { table, bounds, onError } = this.#parts;
    try {
      table.insertAll(rows);
      const size = this.#sizeWith(rows);
      // Removes more rows than one write adds, so that a table over its limit shrinks.
      if (size.rows > bounds.rows || size.bytes > bounds.bytes) this.#removeOldest(2 * TOGETHER);
    } catch (error) {
      onError(error);
    }
  }

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

  #removeOldest(count: number): void {
    const removed = this.#parts.table.removeOldest(count);
    if (!this.#size) return;
    this.#size.rows -= removed.rows;
    this.#size.bytes -= removed.bytes;
  }
}
