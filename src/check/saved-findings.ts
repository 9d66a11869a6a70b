import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { EmulatorError } from '../base/errors.ts';
import { isPlainFile, readPlainFile, requirePlainFolder, writePlainFile } from '../base/files/plain-file.ts';
import { tryParseJson } from '../base/text.ts';
import { CHECK_PAGE } from '../dashboard/mount-dashboard.ts';
import { RunFault } from './runner/runner.ts';
import { type Replay, readToken } from './token.ts';

/** The folder for files of `check` in the folder of the run. Git ignores it. */
export const OWN_FOLDER = '.svc-check';
const FILE = 'findings.json';
const IGNORED = '.gitignore';
const MAX_TOKENS = 200;
const MAX_MIB = 1;

export class SavedFindings {
  readonly #file: string;

  constructor(folder: string) {
    this.#file = path.join(folder, OWN_FOLDER, FILE);
  }

  /** The saved tokens. Ignores those of other versions, and files of another form. */
  read(version: string): Replay[] {
    return this.#tokens().flatMap((token) => {
      const replay = readToken(token);
      return replay?.version === version ? [replay] : [];
    });
  }

  /** Saves tokens before the earlier ones. Ignores write errors. */
  keep(tokens: readonly string[]): void {
    const before = this.#tokens();
    const older = before.filter((token) => readToken(token) !== undefined);
    if (tokens.length + before.length === 0) return;
    const kept = [...new Set([...tokens, ...older])].slice(0, MAX_TOKENS);
    writeOwnFile(path.dirname(this.#file), FILE, `${JSON.stringify(kept, null, 2)}\n`);
  }

  #tokens(): string[] {
    const found = tryParseJson(this.#text());
    return Array.isArray(found) ? found.filter((each) => typeof each === 'string') : [];
  }

  #text(): string | undefined {
    requireOwnFolder(path.dirname(this.#file));
    return ofOurs(this.#file, () => readPlainFile(this.#file, MAX_MIB));
  }
}

/** Makes the folder, which Git ignores. Throws `RunFault` if a link or a file is in its place. */
export function makeOwnFolder(folder: string): string {
  requireOwnFolder(folder);
  mkdirSync(folder, { recursive: true });
  writePlainFile(path.join(folder, IGNORED), '*\n');
  return folder;
}

/** Writes a file. Ignores a read-only folder, because the check itself is complete. */
export function writeOwnFile(folder: string, name: string, text: string): void {
  requireOwnFolder(folder);
  const file = path.join(folder, name);
  ofOurs(file, () => writePlainFile(path.join(makeOwnFolder(folder), name), text));
}

/** Throws `RunFault` if the folder, or a file in it, is a link, a pipe or a device. */
export function requireOwnFolder(folder: string): void {
  ofOurs(folder, () => requirePlainFolder(folder));
  for (const name of [IGNORED, FILE, path.basename(CHECK_PAGE)]) {
    const file = path.join(folder, name);
    ofOurs(file, () => isPlainFile(file));
  }
}

/** Uses a file or folder. Undefined if the system refuses. Throws `RunFault` unless it is a plain file or folder. */
function ofOurs<T>(name: string, use: () => T): T | undefined {
  try {
    return use();
  } catch (error) {
    if (!(error instanceof EmulatorError)) return undefined;
    throw new RunFault(`${name} cannot be used: ${error.message} Remove it, and check again.`);
  }
}
