import type { Database } from '../../base/database/database.ts';
import { evictableFiles, evictFile, renderBytes, updateUse } from './file-store.ts';

const BATCH = 50;

/** Uses are remembered up to this number until they are stored. */
const MOST_TOUCHED = 10_000;

export interface DiskLimitParts {
  db: Database;
  maxBytes: number;
  /** Files in use, which stay. */
  held: { has(name: string): boolean };
  discard: (name: string) => void;
}

/** Deletes the files of the least recently used renders above the limit. Stored files and files in use stay [I176]. */
export class DiskLimit {
  readonly #parts: DiskLimitParts;
  /** Uses not stored yet: name to real time. */
  readonly #touched = new Map<string, number>();
  /** Bytes of all renders; undefined until first needed. */
  #total: number | undefined;
  #running: Promise<void> | undefined;
  /** A call during a run needs another run, because files may have been released in the meantime. */
  #askedAgain = false;

  constructor(parts: DiskLimitParts) {
    this.#parts = parts;
  }

  touch(name: string, now: number): void {
    if (this.#touched.size < MOST_TOUCHED) this.#touched.set(name, now);
  }

  added(bytes: number): void {
    if (this.#total !== undefined) this.#total += bytes;
    this.check();
  }

  removed(bytes: number): void {
    if (this.#total !== undefined) this.#total -= bytes;
  }

  check(): void {
    if (!this.#isOver()) return;
    if (this.#running !== undefined) {
      this.#askedAgain = true;
      return;
    }
    this.#running = this.#makeRoom()
      // If the disk cannot be written now, the next write fails and makes room.
      .catch(() => undefined)
      .finally(() => {
        this.#running = undefined;
        if (this.#askedAgain) this.check();
      });
  }

  forget(): void {
    this.#total = undefined;
    this.#touched.clear();
  }

  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  #isOver(): boolean {
    this.#total ??= renderBytes(this.#parts.db);
    return this.#total > this.#parts.maxBytes;
  }

  async #makeRoom(): Promise<void> {
    this.#askedAgain = false;
    await this.#writeUses();
    while (this.#isOver()) {
      const gone = await this.#evictSome();
      if (gone === 0) return;
    }
  }

  async #writeUses(): Promise<void> {
    const touched = [...this.#touched];
    this.#touched.clear();
    await this.#parts.db.transact((tx) => {
      for (const [name, used] of touched) updateUse(tx, name, used);
    });
  }

  /** Returns how many were deleted. */
  #evictSome(): Promise<number> {
    const { db, maxBytes, held, discard } = this.#parts;
    return db.transact((tx) => {
      const free = evictableFiles(tx, BATCH).filter(({ name }) => !held.has(name));
      const evicted = atLeast(free, renderBytes(tx) - maxBytes);
      for (const { name, bytes } of evicted) {
        if (!evictFile(tx, name)) continue;
        tx.onCommit(() => {
          this.removed(bytes);
          discard(name);
        });
      }
      return evicted.length;
    });
  }
}

function atLeast<T extends { bytes: number }>(files: T[], excess: number): T[] {
  let sum = 0;
  return files.filter(({ bytes }) => {
    const needed = sum < excess;
    sum += bytes;
    return needed;
  });
}
