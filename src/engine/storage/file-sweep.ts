import { nextTurn } from '../../base/clock/real-globals.ts';
import type { Database } from '../../base/database/database.ts';
import type { FileFolder } from './file-folder.ts';
import { fileNamesAfter, findFile, isReferenced } from './file-store.ts';

const TURN = 500;

export interface FileSweepParts {
  folder: FileFolder;
  db: Database;
  discard: (name: string) => void;
  collect: (names: string[]) => Promise<void>;
}

/** Finds what a crash left: files without a row, and rows without a reference. */
export class FileSweep {
  readonly #parts: FileSweepParts;
  #running: Promise<void> | undefined;
  #ending = false;

  constructor(parts: FileSweepParts) {
    this.#parts = parts;
  }

  /** Yields to other work between steps. Ends early at `end`. */
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
