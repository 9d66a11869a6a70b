import { closeSync, existsSync, fsync, mkdirSync, openSync, renameSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Database } from '../../base/database/database.ts';
import { systemErrorCode, translateDiskError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { deleteEvictableFileRow, listEvictableFiles, sumRenderBytes, updateLastUse } from './file-store.ts';

interface FileFolderOptions {
  dataFolder: string;
  scratch: string;
  /** Whether files must survive a power failure. Those of an ephemeral emulator need not. */
  durable: boolean;
  random: Random;
}

/**
 * The folder of immutable files, which are never written in place. Single names are looked up and changed
 * synchronously, which is faster than a trip to another thread.
 */
export class FileFolder {
  readonly #root: string;
  readonly #scratch: string;
  #scratches = 0;
  readonly #durable: boolean;
  readonly #removals = new Set<Promise<void>>();

  /** Throws `storage_full` if the disk is full or read-only, or does not allow this process to create the folders. */
  constructor(options: FileFolderOptions) {
    this.#root = path.join(options.dataFolder, 'files');
    this.#scratch = path.join(options.scratch, options.random.scratchName());
    this.#durable = options.durable;
    try {
      mkdirSync(this.#root, { recursive: true });
      mkdirSync(options.scratch, { recursive: true });
    } catch (error) {
      throw translateDiskError(error);
    }
  }

  /** The path of a file. Throws for a name that is not 64 hex digits, because it could lead out of the folder. */
  path(name: string): string {
    return path.join(this.#root, requireFileName(name));
  }

  scratchPath(): string {
    this.#scratches += 1;
    return `${this.#scratch}-${this.#scratches}`;
  }

  has(name: string): boolean {
    return existsSync(this.path(name));
  }

  /**
   * Moves a finished file to its name. An existing file of that name stays. Throws
   * `storage_full` after removing the finished file.
   */
  async place(scratchPath: string, name: string): Promise<void> {
    const target = this.path(name);
    try {
      if (existsSync(target)) return await rm(scratchPath, { force: true });
      if (this.#durable) await syncToDisk(scratchPath);
      renameSync(scratchPath, target);
    } catch (error) {
      await rm(scratchPath, { force: true });
      throw translateDiskError(error);
    }
  }

  /** Removes the name of a file now, and frees the disk space in the background. */
  discard(name: string): void {
    const moved = this.scratchPath();
    try {
      renameSync(this.path(name), moved);
    } catch (error) {
      // The file is gone, or a program on Windows still reads it. In that case, the sweep of the next start removes it.
      if (['ENOENT', 'EBUSY', 'EPERM'].includes(systemErrorCode(error) ?? '')) return;
      throw translateDiskError(error);
    }
    this.#remove(moved);
  }

  /** Removes all files. Returns false if a file is in use, which can happen on Windows. */
  clear(): boolean {
    const moved = this.scratchPath();
    try {
      renameSync(this.#root, moved);
    } catch (error) {
      if (['EBUSY', 'EPERM', 'EACCES'].includes(systemErrorCode(error) ?? '')) return false;
      throw translateDiskError(error);
    }
    mkdirSync(this.#root);
    this.#remove(moved);
    return true;
  }

  async settled(): Promise<void> {
    await Promise.all(this.#removals);
  }

  /** Returns the names of 64 hex digits. The emulator does not make files with other names. */
  async names(): Promise<string[]> {
    return (await readdir(this.#root)).filter((name) => FILE_NAME.test(name));
  }

  /** If the removal fails, the next start empties the scratch folder. */
  #remove(moved: string): void {
    const removal = rm(moved, { recursive: true, force: true })
      .catch(() => undefined)
      .finally(() => this.#removals.delete(removal));
    this.#removals.add(removal);
  }
}

/** The name of a file: the hash of the request that it renders, or of its content. */
const FILE_NAME = /^[0-9a-f]{64}$/;

function requireFileName(name: string): string {
  if (FILE_NAME.test(name)) return name;
  throw new Error(`a file of the data folder is named by 64 hex digits, not ${JSON.stringify(name.slice(0, 80))}`);
}

/** Flushes a file to the disk before it gets its name, so that no name refers to a file that a power failure emptied. */
async function syncToDisk(file: string): Promise<void> {
  const opened = openSync(file, 'r+');
  try {
    await synced(opened);
  } finally {
    closeSync(opened);
  }
}

const synced = promisify(fsync);

const BATCH = 50;

const MAX_TOUCHED = 10_000;

interface DiskLimitParts {
  db: Database;
  maxBytes: number;
  held: { has(name: string): boolean };
  discard: (name: string) => void;
}

/** Deletes the files of the least recently used renders above the limit. Stored files and files in use stay [I176]. */
export class DiskUseLimiter {
  readonly #parts: DiskLimitParts;
  /** The real time of the last use of a file, by its name, until it is written to the database. */
  readonly #touched = new Map<string, number>();
  #total: number | undefined;
  #running: Promise<void> | undefined;
  /** Set if a call comes during a run. Another run then follows, because files may have been released in the meantime. */
  #askedAgain = false;

  constructor(parts: DiskLimitParts) {
    this.#parts = parts;
  }

  touch(name: string, now: number): void {
    if (this.#touched.size < MAX_TOUCHED) this.#touched.set(name, now);
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
      // Ignores a disk that cannot be written now, because the next check tries again.
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
    this.#total ??= sumRenderBytes(this.#parts.db);
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
      for (const [name, used] of touched) updateLastUse(tx, name, used);
    });
  }

  #evictSome(): Promise<number> {
    const { db, maxBytes, held, discard } = this.#parts;
    return db.transact((tx) => {
      const free = listEvictableFiles(tx, BATCH).filter(({ name }) => !held.has(name));
      const evicted = atLeast(free, sumRenderBytes(tx) - maxBytes);
      for (const { name, bytes } of evicted) {
        if (!deleteEvictableFileRow(tx, name)) continue;
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
