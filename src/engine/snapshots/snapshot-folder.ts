import {
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { yieldToEventLoop } from '../../base/clock/real-globals.ts';
import { systemErrorCode, translateDiskError } from '../../base/errors.ts';
import { storedTimeSchema } from '../storage/content-check-store.ts';
import { PinnedFileNames } from '../storage/files.ts';

export const SNAPSHOT_NAME_PATTERN = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/;

const RECORD = '.json';

const record = z.object({
  name: z.string(),
  /** The name of the folder with the content of the snapshot. It is never used twice. */
  content: z.string().regex(/^[\w-]+$/),
  /** When the snapshot was made, in milliseconds of the machine's clock. */
  created: storedTimeSchema,
  /** The emulator's time in the snapshot, in milliseconds. */
  now: storedTimeSchema,
  frozen: z.boolean(),
  files: z.int(),
  bytes: z.int(),
});

export type SnapshotRecord = z.infer<typeof record>;

/**
 * The folder of snapshots. `NAME.json` names the folder with the database and the files of a snapshot. Renaming this small
 * file makes or replaces the snapshot. A crash may leave folders that no record names.
 */
export class SnapshotFolder {
  readonly #root: string;
  readonly #held = new PinnedFileNames();

  constructor(dataFolder: string) {
    this.#root = path.join(dataFolder, 'snapshots');
  }

  paths(content: string): { database: string; journal: string; files: string } {
    const folder = path.join(this.#root, content);
    const inFolder = (name: string) => path.join(folder, name);
    return { database: inFolder('emulator.db'), journal: inFolder('journal.db'), files: inFolder('files') };
  }

  /** Makes the folder `content` of a snapshot. `tidy` removes it unless a record names it or `holding` runs for it. */
  make(content: string): void {
    mkdirSync(this.paths(content).files, { recursive: true });
  }

  async holding<T>(content: string, work: () => Promise<T>): Promise<T> {
    this.#held.add(content);
    try {
      return await work();
    } finally {
      this.#held.remove(content);
      await this.#removeUnnamed([content]);
    }
  }

  list(): SnapshotRecord[] {
    return this.names()
      .map((name) => this.find(name))
      .filter((record) => record !== undefined)
      .sort((a, b) => b.created - a.created || (a.name < b.name ? 1 : -1));
  }

  names(): string[] {
    const records = entries(this.#root).filter((entry) => entry.endsWith(RECORD));
    return records.map((entry) => entry.slice(0, -RECORD.length));
  }

  /** Undefined if the snapshot has no record, or if the record is not valid. */
  find(name: string): SnapshotRecord | undefined {
    try {
      const read = record.safeParse(JSON.parse(readFileSync(this.#record(name), 'utf8')));
      return read.success ? read.data : undefined;
    } catch (error) {
      if (error instanceof SyntaxError || systemErrorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  isDamaged(name: string): boolean {
    const found = this.find(name);
    return found ? !existsSync(this.paths(found.content).database) : existsSync(this.#record(name));
  }

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

  async tidy(): Promise<void> {
    await this.#removeUnnamed(entries(this.#root).filter((entry) => !entry.endsWith(RECORD)));
  }

  async #removeUnnamed(contents: readonly string[]): Promise<void> {
    if (contents.length === 0) return;
    const known = this.list();
    // Removes nothing: an unreadable record may be repaired by hand, and it is unknown which content it names.
    if (known.length < this.names().length) return;
    const named = new Set(known.map(({ content }) => content));
    const unnamed = contents.filter((content) => !named.has(content) && !this.#held.has(content));
    const options = { recursive: true, force: true };
    // Ignores errors, because the next start tries again to remove the folder.
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
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

const TURN = 100;

const NO_LINKS = ['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES'];

interface FileLink {
  from: string;
  to: string;
}

/**
 * Gives each file a second name, so that either name can be removed alone. Copies the files if the disk has no links.
 * Missing files are skipped, and existing names stay. Throws `storage_full`.
 */
export async function linkOrCopyFiles(links: readonly FileLink[]): Promise<void> {
  for (let at = 0; at < links.length; at += TURN) {
    if (at > 0) await yieldToEventLoop();
    for (const link of links.slice(at, at + TURN)) {
      if (!linkNow(link)) await copy(link);
    }
  }
}

function linkNow({ from, to }: FileLink): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    const code = systemErrorCode(error) ?? '';
    if (['EEXIST', 'ENOENT'].includes(code)) return true;
    if (NO_LINKS.includes(code)) return false;
    throw translateDiskError(error);
  }
}

async function copy({ from, to }: FileLink): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  } catch (error) {
    if (!['EEXIST', 'ENOENT'].includes(systemErrorCode(error) ?? '')) throw translateDiskError(error);
  }
}
