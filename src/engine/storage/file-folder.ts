import { closeSync, existsSync, fsync, mkdirSync, openSync, renameSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { asDiskError, systemCode } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { linkFiles } from './file-links.ts';

export interface FileFolderOptions {
  /** The data folder; its `files/` holds the immutable files. */
  dataFolder: string;
  /** For files that are being written: on the same disk, so that a rename is atomic; emptied at each start by its owner. */
  scratch: string;
  /** Whether files must survive a power cut; those of an ephemeral instance need not. */
  durable: boolean;
  random: Random;
}

/**
 * Files on disk: immutable, named by their content, never written in place. It does not use the database. Names are read
 * and changed synchronously, which takes less time than a trip to another thread; only bytes are awaited.
 */
export class FileFolder {
  readonly #root: string;
  /** What the paths of files that are being written begin with. */
  readonly #scratch: string;
  #scratches = 0;
  readonly #durable: boolean;
  /** Removals in the background. */
  readonly #removals = new Set<Promise<void>>();

  /** Throws `storage_full` when the folders cannot be made. */
  constructor(options: FileFolderOptions) {
    this.#root = path.join(options.dataFolder, 'files');
    this.#scratch = path.join(options.scratch, options.random.scratchName());
    this.#durable = options.durable;
    try {
      mkdirSync(this.#root, { recursive: true });
      mkdirSync(options.scratch, { recursive: true });
    } catch (error) {
      throw asDiskError(error);
    }
  }

  /** Throws for a name that is not 64 hex digits: it could lead out of the folder. */
  path(name: string): string {
    return path.join(this.#root, requireFileName(name));
  }

  /** A new path to write to; the caller places the file or removes it. */
  scratchPath(): string {
    this.#scratches += 1;
    return `${this.#scratch}-${this.#scratches}`;
  }

  has(name: string): boolean {
    return existsSync(this.path(name));
  }

  /**
   * Moves a finished file to its name; a file of that name has the same bytes and stays.
   * Throws `storage_full`, and then removes the finished file.
   */
  async place(scratchPath: string, name: string): Promise<void> {
    const target = this.path(name);
    try {
      if (existsSync(target)) return await rm(scratchPath, { force: true });
      if (this.#durable) await settle(scratchPath);
      renameSync(scratchPath, target);
    } catch (error) {
      await rm(scratchPath, { force: true });
      throw asDiskError(error);
    }
  }

  /** Removes a name at once; the blocks of the file are freed in the background. */
  discard(name: string): void {
    const moved = this.scratchPath();
    try {
      renameSync(this.path(name), moved);
    } catch (error) {
      // It is gone already; or, on Windows, it is being read, and the sweep of the next start removes it.
      if (['ENOENT', 'EBUSY', 'EPERM'].includes(systemCode(error) ?? '')) return;
      throw asDiskError(error);
    }
    this.#remove(moved);
  }

  /** Removes all names at once; the blocks are freed in the background. Returns false where a file is in use (Windows). */
  clear(): boolean {
    const moved = this.scratchPath();
    try {
      renameSync(this.#root, moved);
    } catch (error) {
      if (['EBUSY', 'EPERM', 'EACCES'].includes(systemCode(error) ?? '')) return false;
      throw asDiskError(error);
    }
    mkdirSync(this.#root);
    this.#remove(moved);
    return true;
  }

  /** Resolves when nothing is being removed any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#removals);
  }

  /** Gives those of these files that exist a second name in `folder`. Throws `storage_full`. */
  linkTo(folder: string, names: readonly string[]): Promise<void> {
    return linkFiles(names.map((name) => ({ from: this.path(name), to: path.join(folder, requireFileName(name)) })));
  }

  /** Restores files that `linkTo` put into `folder`. */
  async linkFrom(folder: string, names: readonly string[]): Promise<void> {
    const there = new Set(await this.names());
    const missing = names.filter((name) => !there.has(name));
    await linkFiles(missing.map((name) => ({ from: path.join(folder, requireFileName(name)), to: this.path(name) })));
  }

  /** The names of all files; what has another name is not the emulator's. */
  async names(): Promise<string[]> {
    return (await readdir(this.#root)).filter((name) => FILE_NAME.test(name));
  }

  /** What cannot be removed now is removed by the sweep of the next start. */
  #remove(moved: string): void {
    const removal = rm(moved, { recursive: true, force: true })
      .catch(() => undefined)
      .finally(() => this.#removals.delete(removal));
    this.#removals.add(removal);
  }
}

/** A fingerprint or a SHA-256. */
const FILE_NAME = /^[0-9a-f]{64}$/;

function requireFileName(name: string): string {
  if (FILE_NAME.test(name)) return name;
  throw new Error(`a file of the data folder is named by 64 hex digits, not ${JSON.stringify(name.slice(0, 80))}`);
}

/** Waits until the bytes are on the disk, so that no name belongs to a file that a power cut emptied. */
async function settle(file: string): Promise<void> {
  const opened = openSync(file, 'r+');
  try {
    await synced(opened);
  } finally {
    closeSync(opened);
  }
}

const synced = promisify(fsync);
