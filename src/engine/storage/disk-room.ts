import { rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Database } from '../../base/database/database.ts';
import { asDiskError, isStorageFull, storageFull } from '../../base/errors.ts';
import type { DataFolder } from './data-folder.ts';
import { evictableFiles, evictFile, renderBytes, updateUse } from './file-store.ts';

/** Bytes. Enough for many refunds, the tables of a new state and the index of a search. */
const SIZE = 2 * 1_048_576;

/**
 * Room on the disk of the data folder for what has to be written although the disk is full: the end of paid work, a reset,
 * a search, a trace. It is a file that is deleted then, and written again once there is room for it [I170].
 */
export class DiskReserve {
  readonly #folder: string;
  readonly #file: string;
  /** A folder that is removed after use needs no reserve. */
  readonly #isWanted: boolean;
  /** It is wanted and was deleted: there may be no room for new orders. */
  isReleased: boolean;

  /** Deletes the reserve of an earlier run where the disk is full: a start takes some room too. */
  constructor({ path: folder, isEphemeral }: Pick<DataFolder, 'path' | 'isEphemeral'>) {
    this.#folder = folder;
    this.#file = path.join(folder, 'reserve');
    this.#isWanted = !isEphemeral;
    this.isReleased = this.#isWanted && statSync(this.#file, { throwIfNoEntry: false })?.size !== SIZE;
    if (!this.isReleased && this.#free() < SIZE) this.release();
  }

  /** Deletes the file. On a disk that is read-only it stays. */
  release(): void {
    if (!this.#isWanted || this.isReleased) return;
    this.isReleased = removed(this.#file);
  }

  /**
   * Whether there is room for new orders: there is none while the reserve is deleted. Writes it again where half as much
   * would still be free, so that the next write does not need it again.
   */
  hasRoom(): boolean {
    if (this.isReleased) this.isReleased = this.#free() < 1.5 * SIZE || !this.#make();
    return !this.isReleased;
  }

  /** Throws `storage_full` where there is no room for a new order. */
  requireRoom(): void {
    if (!this.hasRoom()) throw storageFull();
  }

  /** Runs `work`; where that throws `storage_full`, deletes the reserve and runs it once more. */
  async granted<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isStorageFull(asDiskError(error))) throw error;
      this.release();
      return work().catch((again: unknown) => {
        throw asDiskError(again);
      });
    }
  }

  #make(): boolean {
    try {
      writeFileSync(this.#file, Buffer.alloc(SIZE), { mode: 0o600 });
      return true;
    } catch {
      removed(this.#file);
      return false;
    }
  }

  /** Bytes that this user may still write; infinite where the system does not report it, so that the write is tried. */
  #free(): number {
    try {
      const { bavail, bsize } = statfsSync(this.#folder);
      return bavail * bsize;
    } catch {
      return Number.POSITIVE_INFINITY;
    }
  }
}

function removed(file: string): boolean {
  try {
    rmSync(file, { force: true });
    return true;
  } catch {
    return false;
  }
}

/** The most files deleted in one transaction. */
const BATCH = 50;

/** How many uses are remembered until they are stored. */
const MOST_TOUCHED = 10_000;

export interface DiskLimitParts {
  db: Database;
  /** Of all renders' files together. */
  maxBytes: number;
  /** Files in use, which stay. */
  held: ReservedNames;
  discard: (name: string) => void;
}

/** Deletes the files of the least recently used renders when they outgrow the limit; stored ones and those in use stay [I176]. */
export class DiskLimit {
  readonly #parts: DiskLimitParts;
  /** Uses that are not stored yet: name to real time. */
  readonly #touched = new Map<string, number>();
  /** Bytes of all renders; unknown until first asked for. */
  #total: number | undefined;
  #running: Promise<void> | undefined;
  /** It was asked for again while it ran: files that were in use then may not be any more. */
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

  /** Makes room where it is needed, in the background. */
  check(): void {
    if (!this.#isOver()) return;
    if (this.#running !== undefined) {
      this.#askedAgain = true;
      return;
    }
    this.#running = this.#makeRoom()
      // The next write fails on a disk that cannot be written; room is made then.
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

/** As many from the front as together have `excess` bytes. */
function atLeast<T extends { bytes: number }>(files: T[], excess: number): T[] {
  let sum = 0;
  return files.filter(({ bytes }) => {
    const needed = sum < excess;
    sum += bytes;
    return needed;
  });
}

/** Names of files that are in use, and by how many. */
export class ReservedNames {
  readonly #counts = new Map<string, number>();

  has(name: string): boolean {
    return this.#counts.has(name);
  }

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  remove(name: string): void {
    const others = (this.#counts.get(name) ?? 1) - 1;
    if (others > 0) this.#counts.set(name, others);
    else this.#counts.delete(name);
  }
}
