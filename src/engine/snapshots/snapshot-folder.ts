import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { systemCode } from '../../base/errors.ts';
import { ReservedNames } from '../storage/files.ts';
import { moment } from './content-check-store.ts';

/** What is known of a snapshot without opening it. */
export interface SnapshotRecord {
  name: string;
  /** Where its content is: a name that no other content ever had. */
  content: string;
  /** Milliseconds of the machine's time. */
  created: number;
  /** The emulator's clock at that moment. */
  now: number;
  frozen: boolean;
  /** How many files, and how many bytes they and the database have. */
  files: number;
  bytes: number;
}

/** What a snapshot may be called. */
export const SNAPSHOT_NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/;

const RECORD = '.json';

const record = z.object({
  name: z.string(),
  content: z.string().regex(/^[\w-]+$/),
  created: moment,
  now: moment,
  frozen: z.boolean(),
  files: z.int(),
  bytes: z.int(),
});

/**
 * `NAME.json` says where the content of a snapshot is: a folder beside it with a database and its files. Renaming
 * that one small file makes a snapshot, or replaces one; content that none names is what a crash left.
 */
export class SnapshotFolder {
  readonly #root: string;
  /** Content that is being made or read, which is not removed. */
  readonly #held = new ReservedNames();

  constructor(dataFolder: string) {
    this.#root = path.join(dataFolder, 'snapshots');
  }

  /** Where the two parts of a content are. */
  paths(content: string): { database: string; files: string } {
    const folder = path.join(this.#root, content);
    return { database: path.join(folder, 'emulator.db'), files: path.join(folder, 'files') };
  }

  /** Makes room for content that is to come; without a record it is removed by `tidy`. */
  make(content: string): void {
    mkdirSync(this.paths(content).files, { recursive: true });
  }

  /** Keeps content from being removed while `work` runs; what no snapshot names by then is removed. */
  async holding<T>(content: string, work: () => Promise<T>): Promise<T> {
    this.#held.add(content);
    try {
      return await work();
    } finally {
      this.#held.remove(content);
      await this.#removeUnnamed([content]);
    }
  }

  /** Newest first. */
  list(): SnapshotRecord[] {
    return this.names()
      .map((name) => this.find(name))
      .filter((record) => record !== undefined)
      .sort((a, b) => b.created - a.created || (a.name < b.name ? 1 : -1));
  }

  /** All that there are, also those that have become unreadable. */
  names(): string[] {
    const records = entries(this.#root).filter((entry) => entry.endsWith(RECORD));
    return records.map((entry) => entry.slice(0, -RECORD.length));
  }

  /** Undefined for one that there is not, and for one that has become unreadable. */
  find(name: string): SnapshotRecord | undefined {
    try {
      const read = record.safeParse(JSON.parse(readFileSync(this.#record(name), 'utf8')));
      return read.success ? read.data : undefined;
    } catch (error) {
      if (error instanceof SyntaxError || systemCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Whether there is one of that name whose record or content cannot be read. */
  isDamaged(name: string): boolean {
    const found = this.find(name);
    return found ? !existsSync(this.paths(found.content).database) : existsSync(this.#record(name));
  }

  /** Gives the name to this content. The content that had it is removed. */
  async write(record: SnapshotRecord): Promise<void> {
    const before = this.find(record.name);
    const fresh = path.join(this.#root, record.content, 'record');
    writeFileSync(fresh, `${JSON.stringify(record)}\n`, { flush: true });
    renameSync(fresh, this.#record(record.name));
    if (before) await this.#removeUnnamed([before.content]);
  }

  async remove(name: string): Promise<void> {
    const content = this.find(name)?.content;
    rmSync(this.#record(name), { force: true });
    await (content === undefined ? this.tidy() : this.#removeUnnamed([content]));
  }

  /** Removes what a crash left half-made. */
  async tidy(): Promise<void> {
    await this.#removeUnnamed(entries(this.#root).filter((entry) => !entry.endsWith(RECORD)));
  }

  async #removeUnnamed(contents: readonly string[]): Promise<void> {
    if (contents.length === 0) return;
    const known = this.list();
    // The content of an unreadable record is not known. It may be repaired by hand: nothing is removed until then.
    if (known.length < this.names().length) return;
    const named = new Set(known.map(({ content }) => content));
    const unnamed = contents.filter((content) => !named.has(content) && !this.#held.has(content));
    const options = { recursive: true, force: true };
    // What cannot be removed now is at the next start.
    const remove = (content: string) => rm(path.join(this.#root, content), options).catch(() => {});
    await Promise.all(unnamed.map(remove));
  }

  #record(name: string): string {
    return path.join(this.#root, name + RECORD);
  }
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}
