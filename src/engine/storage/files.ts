import { closeSync, openSync, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Clock } from '../../base/clock/clock.ts';
import type { Database } from '../../base/database/database.ts';
import type { Reader, Transaction } from '../../base/database/transaction.ts';
import { systemCode } from '../../base/errors.ts';
import { DiskLimit } from './disk-limit.ts';
import type { FileFolder } from './file-folder.ts';
import { findFile, insertFile, isReferenced, type KeptFile } from './file-store.ts';
import { FileSweep } from './file-sweep.ts';
import { deleteFile } from './file-sweep-store.ts';

/** Pins files: a pinned file is not removed, whether a row refers to it or not. */
export interface FilePins {
  /** Moves a finished scratch file to its name. Throws `storage_full`. Follow it with `keep` in a transaction. */
  place(scratchPath: string, name: string): Promise<void>;
  /** A file that is kept and on the disk, pinned from now on; undefined when it has to be made. */
  find(name: string): KeptFile | undefined;
  /** Pins a file. */
  claim(name: string): void;
}

/** Files up to this many bytes are read at once, from the page cache: quicker than three trips to another thread. */
const SMALL = 1_048_576;

/** The immutable files behind objects, library entries and reference pictures, and when they may go. */
export class Files {
  readonly #folder: FileFolder;
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #limit: DiskLimit | undefined;
  readonly #sweep: FileSweep;
  readonly #pinned = new ReservedNames();
  /** Files that are removed once they are not pinned any more. */
  readonly #postponed = new Set<string>();
  /** The time of the last use. */
  #lastUse = 0;

  /** `maxDisk`: bytes of renders above which the files of the least recently used, unstored ones are deleted. */
  constructor(parts: { folder: FileFolder; db: Database; clock: Clock; maxDisk?: number }) {
    this.#folder = parts.folder;
    this.#db = parts.db;
    this.#clock = parts.clock;
    this.#sweep = new FileSweep({
      folder: parts.folder,
      db: parts.db,
      discard: (name) => this.#discard(name),
      collect: (names) => this.#collectAll(names),
    });
    if (parts.maxDisk === undefined) return;
    this.#limit = new DiskLimit({
      db: parts.db,
      maxBytes: parts.maxDisk,
      held: this.#pinned,
      discard: (name) => this.#discard(name),
    });
  }

  /** The path of a file, whether or not it exists. */
  path(name: string): string {
    return this.#folder.path(name);
  }

  scratchPath(): string {
    return this.#folder.scratchPath();
  }

  /**
   * Runs `work` with pins on the files that it places or claims. Those to which no row refers when it ends are removed
   * before this settles: a failed request leaves no file.
   */
  async withPins<T>(work: (pins: FilePins) => Promise<T>): Promise<T> {
    const names = new Set<string>();
    const claim = (name: string) => {
      if (names.has(name)) return;
      names.add(name);
      this.#pinned.add(name);
    };
    try {
      return await work({
        claim,
        place: (scratchPath, name) => {
          claim(name);
          return this.#folder.place(scratchPath, name);
        },
        find: (name) => {
          claim(name);
          return this.known(this.#db, name);
        },
      });
    } finally {
      await this.#release(names);
    }
  }

  /** Runs `work` while none of these files is removed; removals that were due meanwhile follow it. */
  async pinning<T>(names: readonly string[], work: () => Promise<T>): Promise<T> {
    for (const name of names) this.#pinned.add(name);
    try {
      return await work();
    } finally {
      for (const name of names) this.#pinned.remove(name);
      await this.#collectAll(names.filter((name) => this.#postponed.delete(name)));
    }
  }

  /** Gives those of these files that exist a second name in `folder`. Throws `storage_full`. */
  linkTo(folder: string, names: readonly string[]): Promise<void> {
    return this.#folder.linkTo(folder, names);
  }

  /** Restores files that `linkTo` put into `folder`; pin them until a database refers to them. */
  linkFrom(folder: string, names: readonly string[]): Promise<void> {
    return this.#folder.linkFrom(folder, names);
  }

  /** A file that the database lists and the disk has; it stays if the transaction adds a reference to it. */
  known(db: Reader, name: string): KeptFile | undefined {
    const known = findFile(db, name);
    return known && this.#folder.has(name) ? known : undefined;
  }

  /** Lists a placed file. Call it within `withPins`, in the transaction that adds the first reference to it. */
  keep(tx: Transaction, file: KeptFile): void {
    const fresh = insertFile(tx, file, this.#momentOfUse());
    if (fresh && file.origin === 'render') tx.onCommit(() => this.#limit?.added(file.bytes));
  }

  /** Opens a file for reading, if it is on the disk, and notes its use; the caller closes it. */
  open(name: string): Promise<FileHandle | undefined> {
    return open(this.path(name)).then((handle) => {
      this.touch(name);
      return handle;
    }, ifThere);
  }

  /** A small part of a file, read synchronously: from the page cache that is cheaper than a trip to another thread. */
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

  /** A file as base64; `read` reads one that is large, or is not on the disk. */
  async base64(
    { file, bytes }: { file: string; bytes: number },
    read: (file: string) => Promise<Buffer>,
  ): Promise<string> {
    const small = bytes <= SMALL ? this.readNow(file, 0, bytes) : undefined;
    return (small ?? (await read(file))).toString('base64');
  }

  /** Notes a use of a file: a disk limit deletes recently used renders last. */
  touch(name: string): void {
    this.#limit?.touch(name, this.#momentOfUse());
  }

  /** Removes a file to which no row refers any more, once the transaction is committed. */
  collect(tx: Transaction, name: string): void {
    if (isReferenced(tx, name)) return;
    if (this.#pinned.has(name)) {
      this.#postponed.add(name);
      return;
    }
    const file = findFile(tx, name);
    deleteFile(tx, name);
    tx.onCommit(() => {
      if (file?.origin === 'render') this.#limit?.removed(file.bytes);
      this.#discard(name);
    });
  }

  /** Removes what a crash left, in the background; for after a start, a reset or a restore. */
  async sweep(): Promise<void> {
    await this.#sweep.run();
    this.#limit?.check();
  }

  /** The database was replaced: forgets what was counted in the old one. */
  wake(): void {
    this.#limit?.forget();
  }

  /** The database was replaced by an empty one: removes all files. */
  async renew(): Promise<void> {
    if (!this.#folder.clear()) await this.sweep();
  }

  /** Ends the sweep; resolves when no removal is under way in the background. */
  async settled(): Promise<void> {
    await this.#sweep.end();
    await this.#limit?.settled();
    await this.#folder.settled();
  }

  #openNow(name: string): number | undefined {
    try {
      const descriptor = openSync(this.path(name), 'r');
      this.touch(name);
      return descriptor;
    } catch (error) {
      return ifThere(error);
    }
  }

  /** Real time, but never the same twice: two uses within a millisecond have an order too. */
  #momentOfUse(): number {
    this.#lastUse = Math.max(this.#clock.real(), this.#lastUse + 1);
    return this.#lastUse;
  }

  async #release(names: Set<string>): Promise<void> {
    for (const name of names) {
      this.#pinned.remove(name);
      this.#postponed.delete(name);
    }
    await this.#collectAll([...names].filter((name) => !isReferenced(this.#db, name)));
    this.#limit?.check();
  }

  async #collectAll(names: string[]): Promise<void> {
    if (names.length === 0) return;
    await this.#db.transact((tx) => {
      for (const name of names) this.collect(tx, name);
    });
  }

  /** A file that was claimed meanwhile stays until its holder releases it. */
  #discard(name: string): void {
    if (!this.#pinned.has(name)) this.#folder.discard(name);
  }
}

/** Throws what is not the absence of a file. */
function ifThere(error: unknown): undefined {
  if (systemCode(error) !== 'ENOENT') throw error;
  return undefined;
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
