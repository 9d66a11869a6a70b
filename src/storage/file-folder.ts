import { closeSync, existsSync, fsync, mkdirSync, openSync, renameSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { systemCode } from '../errors.ts';
import type { Random } from '../random.ts';
import { asDiskError } from './disk-error.ts';
import type { DiskReserve } from './disk-reserve.ts';
import { linkFiles } from './file-links.ts';

export interface FileFolderOptions {
  /** The data folder; immutable files lie in `files/` of it. */
  dataFolder: string;
  /** For what is being written: on the same disk, so that a rename is atomic; emptied at each start by its owner. */
  scratch: string;
  /** Whether a power cut may lose anything; an ephemeral instance does not care. */
  durable: boolean;
  random: Random;
  /** What is left of a full disk is not for files. */
  reserve: DiskReserve;
}

/**
 * Bytes on disk: immutable files named by what is in them, never written in place. Knows nothing of tables. Names are
 * looked up and changed at once, which takes less time than the way to another thread; only bytes are waited for.
 */
export class FileFolder {
  readonly #root: string;
  readonly #scratch: string;
  readonly #durable: boolean;
  readonly #random: Random;
  readonly #reserve: DiskReserve;
  /** What is being removed behind. */
  readonly #removals = new Set<Promise<void>>();

  /** Throws `storage_full` when the folders cannot be made. */
  constructor(options: FileFolderOptions) {
    this.#root = path.join(options.dataFolder, 'files');
    this.#scratch = options.scratch;
    this.#durable = options.durable;
    this.#random = options.random;
    this.#reserve = options.reserve;
    try {
      mkdirSync(this.#root, { recursive: true });
      mkdirSync(this.#scratch, { recursive: true });
    } catch (error) {
      throw asDiskError(error);
    }
  }

  path(name: string): string {
    return path.join(this.#root, name);
  }

  /** A new path to write to; the caller hands the file over or removes it. */
  scratchPath(): string {
    return path.join(this.#scratch, this.#random.scratchName());
  }

  /** The same for a file that somebody orders. Throws `storage_full`. */
  orderedPath(): string {
    this.#reserve.requireRoom();
    return this.scratchPath();
  }

  has(name: string): boolean {
    return existsSync(this.path(name));
  }

  /**
   * Moves a finished file to its name; one that lies there already holds the same bytes and stays.
   * Throws `storage_full`, and then neither of the two is left.
   */
  async place(scratchPath: string, name: string): Promise<void> {
    const target = this.path(name);
    try {
      if (existsSync(target)) return await rm(scratchPath, { force: true });
      this.#reserve.requireRoom();
      if (this.#durable) await settle(scratchPath);
      renameSync(scratchPath, target);
    } catch (error) {
      await rm(scratchPath, { force: true });
      throw asDiskError(error);
    }
  }

  /** Takes a file away at once; its blocks, which may take a while, are freed behind. */
  discard(name: string): void {
    const doomed = this.scratchPath();
    try {
      renameSync(this.path(name), doomed);
    } catch (error) {
      // Gone already; or, on Windows, somebody reads it: then the next start's sweep takes it.
      if (['ENOENT', 'EBUSY', 'EPERM'].includes(systemCode(error) ?? '')) return;
      throw asDiskError(error);
    }
    this.#remove(doomed);
  }

  /** Takes all files away at once; their blocks are freed behind. Answers false where one of them is in use (Windows). */
  clear(): boolean {
    const doomed = this.scratchPath();
    try {
      renameSync(this.#root, doomed);
    } catch (error) {
      if (['EBUSY', 'EPERM', 'EACCES'].includes(systemCode(error) ?? '')) return false;
      throw asDiskError(error);
    }
    mkdirSync(this.#root);
    this.#remove(doomed);
    return true;
  }

  /** Resolves when nothing is being removed any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#removals);
  }

  /** Gives the files of these names, as far as they are there, a second name in `folder`. Throws `storage_full`. */
  linkTo(folder: string, names: readonly string[]): Promise<void> {
    return linkFiles(names.map((name) => ({ from: this.path(name), to: path.join(folder, name) })));
  }

  /** The way back of `linkTo`. */
  async linkFrom(folder: string, names: readonly string[]): Promise<void> {
    const there = new Set(await this.names());
    const missing = names.filter((name) => !there.has(name));
    await linkFiles(missing.map((name) => ({ from: path.join(folder, name), to: this.path(name) })));
  }

  /** The names of all files. */
  names(): Promise<string[]> {
    return readdir(this.#root);
  }

  /** What cannot be removed now the next start's sweep takes. */
  #remove(doomed: string): void {
    const removal = rm(doomed, { recursive: true, force: true })
      .catch(() => undefined)
      .finally(() => this.#removals.delete(removal));
    this.#removals.add(removal);
  }
}

/** Waits until the bytes are on the disk, so that a name never leads to a file that a power cut emptied. */
async function settle(file: string): Promise<void> {
  const opened = openSync(file, 'r+');
  try {
    await synced(opened);
  } finally {
    closeSync(opened);
  }
}

const synced = promisify(fsync);
