import { closeSync, openSync, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Clock } from '../../base/clock/clock.ts';
import { yieldToEventLoop } from '../../base/clock/real-globals.ts';
import type { Database } from '../../base/database/database.ts';
import type { Reader } from '../../base/database/reader.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { systemErrorCode } from '../../base/errors.ts';
import type { StoredFile } from '../../media/render-request.ts';
import { DiskUseLimiter, type FileFolder } from './file-folder.ts';
import {
  deleteFileRow,
  type FileRow,
  findFile,
  insertOrTouchFile,
  isFileReferenced,
  listFileNamesAfter,
} from './file-store.ts';

/** A pinned file is not removed, even if no row refers to it. */
export interface FilePins {
  /** Pins the file and moves it to its name. Call `register` in a transaction afterwards. Rejects with `storage_full`. */
  place(scratchPath: string, name: string): Promise<void>;
  make<Made>(name: string, write: (scratchPath: string) => Promise<Made>): Promise<Made>;
  /** Finds a file and pins it. Undefined if the file has to be made. */
  find(name: string): FileRow | undefined;
  pin(name: string): void;
}

/** The largest file, in bytes, that is read synchronously, because three trips to another thread take longer. */
const SMALL = 1_048_576;
const TURN = 500;

/** The immutable files of objects, library entries, elements, scripted answers and open jobs. Decides when one may be removed. */
export class Files {
  readonly #folder: FileFolder;
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #limit: DiskUseLimiter | undefined;
  readonly #pinned = new PinnedFileNames();
  readonly #postponed = new Set<string>();
  #sweep: Promise<void> | undefined;
  #isEnding = false;
  #lastUse = 0;

  /** `maxDisk` is in bytes. Above it, the least recently used renders that no storage object contains are deleted. */
  constructor(parts: { folder: FileFolder; db: Database; clock: Clock; maxDisk?: number }) {
    this.#folder = parts.folder;
    this.#db = parts.db;
    this.#clock = parts.clock;
    if (parts.maxDisk === undefined) return;
    this.#limit = new DiskUseLimiter({
      db: parts.db,
      maxBytes: parts.maxDisk,
      held: this.#pinned,
      discard: (name) => this.#discard(name),
    });
  }

  path(name: string): string {
    return this.#folder.path(name);
  }

  scratchPath(): string {
    return this.#folder.scratchPath();
  }

  /**
   * Keeps the files that `work` places or pins until it ends. Before this settles, removes those to which nothing refers
   * and that nobody else pins, so that a failed request leaves no file.
   */
  async withPins<T>(work: (pins: FilePins) => Promise<T>): Promise<T> {
    const names = new Set<string>();
    const pin = (name: string) => {
      if (names.has(name)) return;
      names.add(name);
      this.#pinned.add(name);
    };
    try {
      const place = (scratchPath: string, name: string) => {
        pin(name);
        return this.#folder.place(scratchPath, name);
      };
      return await work({
        pin,
        place,
        make: async (name, write) => {
          const scratchPath = this.#folder.scratchPath();
          const made = await write(scratchPath);
          await place(scratchPath, name);
          return made;
        },
        find: (name) => {
          pin(name);
          return this.findOnDisk(this.#db, name);
        },
      });
    } finally {
      await this.#release(names);
    }
  }

  async pinning<T>(names: readonly string[], work: () => Promise<T>): Promise<T> {
    for (const name of names) this.#pinned.add(name);
    try {
      return await work();
    } finally {
      for (const name of names) this.#pinned.remove(name);
      await this.#collectAll(names.filter((name) => this.#postponed.delete(name)));
    }
  }

  findOnDisk(db: Reader, name: string): FileRow | undefined {
    const known = findFile(db, name);
    return known && this.#folder.has(name) ? known : undefined;
  }

  /** Call it within `withPins`, in the transaction that adds the first reference to the file. */
  register(tx: Transaction, file: StoredFile, origin: FileRow['origin']): void {
    const { name, bytes, contentType, seconds } = file;
    const fresh = insertOrTouchFile(tx, { name, bytes, contentType, seconds, origin }, this.#momentOfUse());
    if (fresh && origin === 'render') tx.onCommit(() => this.#limit?.added(file.bytes));
  }

  /** Opens a file, which counts as a use. The caller closes it. Undefined if the file is not on the disk. */
  open(name: string): Promise<FileHandle | undefined> {
    return open(this.path(name)).then((handle) => {
      this.touch(name);
      return handle;
    }, undefinedIfMissing);
  }

  /** Reads synchronously, which is faster for a file in the page cache. Undefined if the file is not on the disk. */
  readNow(name: string, start: number, length: number): Buffer | undefined {
    const descriptor = this.#openNow(name);
    if (descriptor === undefined) return undefined;
    try {
      const bytes = Buffer.allocUnsafe(length);
      return bytes.subarray(0, readSync(descriptor, bytes, 0, length, start));
    } finally {
      closeSync(descriptor);
    }
  }

  async base64({ name, bytes }: StoredFile, read: (file: string) => Promise<Buffer>): Promise<string> {
    const small = bytes <= SMALL ? this.readNow(name, 0, bytes) : undefined;
    return (small ?? (await read(name))).toString('base64');
  }

  touch(name: string): void {
    this.#limit?.touch(name, this.#momentOfUse());
  }

  collect(tx: Transaction, name: string): void {
    if (isFileReferenced(tx, name)) return;
    if (this.#pinned.has(name)) {
      this.#postponed.add(name);
      return;
    }
    const file = findFile(tx, name);
    deleteFileRow(tx, name);
    tx.onCommit(() => {
      if (file?.origin === 'render') this.#limit?.removed(file.bytes);
      this.#discard(name);
    });
  }

  /**
   * Removes what a crash left: files without a row, and rows without a reference. Yields to other work between steps.
   * Call it after a start or a restore. `reset` calls it if it cannot clear the folder.
   */
  async sweep(): Promise<void> {
    this.#isEnding = false;
    this.#sweep = this.#discardUnknown().then(() => this.#collectUnneeded());
    await this.#sweep;
    this.#limit?.check();
  }

  start(): void {
    this.#limit?.forget();
  }

  async reset(): Promise<void> {
    if (!this.#folder.clear()) await this.sweep();
  }

  async settled(): Promise<void> {
    this.#isEnding = true;
    await this.#sweep?.catch(() => undefined);
    await this.#limit?.settled();
    await this.#folder.settled();
  }

  #openNow(name: string): number | undefined {
    try {
      const descriptor = openSync(this.path(name), 'r');
      this.touch(name);
      return descriptor;
    } catch (error) {
      return undefinedIfMissing(error);
    }
  }

  /** The real time, increased so that two uses within a millisecond are still ordered. */
  #momentOfUse(): number {
    this.#lastUse = Math.max(this.#clock.real(), this.#lastUse + 1);
    return this.#lastUse;
  }

  async #release(names: Set<string>): Promise<void> {
    for (const name of names) {
      this.#pinned.remove(name);
      this.#postponed.delete(name);
    }
    await this.#collectAll([...names].filter((name) => !isFileReferenced(this.#db, name)));
    this.#limit?.check();
  }

  async #collectAll(names: string[]): Promise<void> {
    if (names.length === 0) return;
    await this.#db.transact((tx) => {
      for (const name of names) this.collect(tx, name);
    });
  }

  async #discardUnknown(): Promise<void> {
    const names = await this.#folder.names();
    for (let at = 0; at < names.length && !this.#isEnding; at += TURN) {
      for (const name of names.slice(at, at + TURN)) if (!findFile(this.#db, name)) this.#discard(name);
      await yieldToEventLoop();
    }
  }

  async #collectUnneeded(): Promise<void> {
    let names = listFileNamesAfter(this.#db, '', TURN);
    while (names.length > 0 && !this.#isEnding) {
      await this.#collectAll(names.filter((name) => !isFileReferenced(this.#db, name)));
      await yieldToEventLoop();
      names = listFileNamesAfter(this.#db, names.at(-1) ?? '', TURN);
    }
  }

  /** A file that was pinned after its removal was decided stays until its last pin is removed. */
  #discard(name: string): void {
    if (!this.#pinned.has(name)) this.#folder.discard(name);
  }
}

function undefinedIfMissing(error: unknown): undefined {
  if (systemErrorCode(error) !== 'ENOENT') throw error;
  return undefined;
}

export class PinnedFileNames {
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
