import { rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { asDiskError, isStorageFull, storageFull } from '../../base/errors.ts';
import type { DataFolder } from './data-folder.ts';

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
