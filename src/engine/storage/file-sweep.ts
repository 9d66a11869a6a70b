import { nextTurn } from '../../base/clock/real-globals.ts';
import type { Database } from '../../base/database/database.ts';
import type { FileFolder } from './file-folder.ts';
import { findFile, isReferenced } from './file-store.ts';
import { fileNamesAfter } from './file-sweep-store.ts';

/** How many files are looked at in one turn of the event loop. */
const TURN = 500;

export interface FileSweepParts {
  folder: FileFolder;
  db: Database;
  /** Takes a file off the disk. */
  discard: (name: string) => void;
  /** Removes files to which no row refers from disk and database. */
  collect: (names: string[]) => Promise<void>;
}

/** Finds what a crash left behind: files without a row, and rows without a reference. */
export class FileSweep {
  readonly #parts: FileSweepParts;
  #running: Promise<void> | undefined;
  #ending = false;

  constructor(parts: FileSweepParts) {
    this.#parts = parts;
  }

  /** Takes turns with whatever else there is to do, and ends early at `end`. */
  run(): Promise<void> {
    this.#ending = false;
    this.#running = this.#sweep();
    return this.#running;
  }

  async end(): Promise<void> {
    this.#ending = true;
    await this.#running?.catch(() => undefined);
  }

  async #sweep(): Promise<void> {
    await this.#discardUnknown();
    await this.#collectUnneeded();
  }

  async #discardUnknown(): Promise<void> {
    const { folder, db, discard } = this.#parts;
    const names = await folder.names();
    for (let at = 0; at < names.length && !this.#ending; at += TURN) {
      for (const name of names.slice(at, at + TURN)) if (!findFile(db, name)) discard(name);
      await nextTurn();
    }
  }

  async #collectUnneeded(): Promise<void> {
    const { db, collect } = this.#parts;
    let names = fileNamesAfter(db, '', TURN);
    while (names.length > 0 && !this.#ending) {
      await collect(names.filter((name) => !isReferenced(db, name)));
      await nextTurn();
      names = fileNamesAfter(db, names.at(-1) ?? '', TURN);
    }
  }
}
