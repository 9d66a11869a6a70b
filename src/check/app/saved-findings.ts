import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Finding } from './finding-book.ts';
import { titleOf } from './schedule.ts';
import { type Replay, readToken } from './token.ts';

const FILE = 'findings.json';
/** The newest are kept. */
const MOST = 200;
/** Of the folder, in bytes. */
const MOST_BYTES = 10 * 1024 * 1024;
/** Characters of a file's name. */
const LONGEST_NAME = 200;

/** What earlier runs found, kept beside a story: tokens of findings, and the keys of lies that survived. */
export class SavedFindings {
  readonly #file: string;
  readonly #name: string;
  /** The traces of this search. */
  readonly #written: string[] = [];

  /** `folder` is that of the story, and `name` that of its own in it. */
  constructor(folder: string, name = '.svc-explore') {
    this.#file = path.join(folder, name, FILE);
    this.#name = name;
  }

  /** What they replay; a file that is not ours, and what another version wrote, counts for nothing. */
  read(): Replay[] {
    return this.#tokens().flatMap((token) => readToken(token) ?? []);
  }

  /** Keys of the lies that survived. */
  survivors(): string[] {
    return this.#tokens().filter((token) => readToken(token) === undefined);
  }

  /** Puts tokens and keys before the others, but for what is `mended`. What cannot be written is not kept: the search has been made all the same. */
  keep(tokens: readonly string[], mended: readonly string[] = []): void {
    if (tokens.length + mended.length === 0) return;
    const older = this.#tokens().filter((each) => !mended.includes(each));
    const all = [...new Set([...tokens, ...older])].slice(0, MOST);
    try {
      makeOwnFolder(path.dirname(this.#file));
      writeFileSync(this.#file, `${JSON.stringify(all, null, 2)}\n`);
    } catch {
      // A folder that is read-only has no memory.
    }
  }

  /** Writes the trace of a finding beside its token, over the one of an earlier search; answers in a few words where it is. */
  keepTrace({ token, schedule }: Pick<Finding, 'token' | 'schedule'>, html: string): string {
    const name = titleOf(schedule).match(/\w+/g)?.join('-').slice(0, LONGEST_NAME) ?? '';
    const file = `${name}-${readToken(token)?.story}.html`;
    try {
      const folder = path.dirname(this.#file);
      makeOwnFolder(folder);
      writeFileSync(path.join(folder, file), html);
      this.#written.push(file);
      removeOldPages(folder, this.#written);
      return path.join(this.#name, file);
    } catch (error) {
      return `could not be written: ${(error as Error).message}`;
    }
  }

  #tokens(): string[] {
    try {
      const found: unknown = JSON.parse(readFileSync(this.#file, 'utf8'));
      return Array.isArray(found) ? found.filter((each) => typeof each === 'string') : [];
    } catch {
      return [];
    }
  }
}

/** Makes a folder that Git does not see. */
export function makeOwnFolder(folder: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, '.gitignore'), '*\n');
  return folder;
}

/** Removes the oldest pages of a folder, but for some, until it has at most 10 MiB. */
export function removeOldPages(folder: string, kept: readonly string[]): void {
  const files = readdirSync(folder, { withFileTypes: true }).filter((each) => each.isFile());
  const rows = files.map(({ name }) => ({ name, ...sizeAndTime(path.join(folder, name)) }));
  const pages = rows.filter(({ name }) => name.endsWith('.html') && !kept.includes(name));
  let bytes = rows.reduce((sum, { size }) => sum + size, 0);
  for (const { name, size } of pages.toSorted((a, b) => a.time - b.time)) {
    if (bytes <= MOST_BYTES) return;
    rmSync(path.join(folder, name));
    bytes -= size;
  }
}

function sizeAndTime(file: string): { size: number; time: number } {
  const { size, mtimeMs: time } = statSync(file);
  return { size, time };
}
