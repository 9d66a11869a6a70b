import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { EmulatorError } from '../base/errors.ts';
import { isPlainFile, readPlainFile, requirePlainFolder, writePlainFile } from '../base/files/plain-file.ts';
import { parsedJson } from '../base/text.ts';
import { CHECK_PAGE } from '../dashboard/check-page-file.ts';
import { RunFault } from './runner/runner.ts';
import { type Replay, readToken } from './token.ts';

/** What a check keeps of its own, below the folder that it runs in: Git does not see it. */
export const OWN_FOLDER = '.svc-check';
const FILE = 'findings.json';
const IGNORED = '.gitignore';
const MOST = 200;
const MOST_MIB = 1;

/** Findings of earlier runs, kept next to a suite by their tokens. */
export class SavedFindings {
  readonly #file: string;

  constructor(folder: string) {
    this.#file = path.join(folder, OWN_FOLDER, FILE);
  }

  /** What they replay; a file that is not ours, and what another version wrote, counts for nothing. */
  read(version: string): Replay[] {
    return this.#tokens().flatMap((token) => {
      const replay = readToken(token);
      return replay?.version === version ? [replay] : [];
    });
  }

  /** Puts tokens before the others, but for what `isFixed`. What cannot be written is not kept: the run has been made all the same. */
  keep(tokens: readonly string[], isFixed: (replay: Replay) => boolean): void {
    const before = this.#tokens();
    const older = before.filter((token) => {
      const replay = readToken(token);
      return replay !== undefined && !isFixed(replay);
    });
    if (tokens.length + before.length === 0) return;
    const kept = [...new Set([...tokens, ...older])].slice(0, MOST);
    writeOwnFile(path.dirname(this.#file), FILE, `${JSON.stringify(kept, null, 2)}\n`);
  }

  #tokens(): string[] {
    const found = parsedJson(this.#text());
    return Array.isArray(found) ? found.filter((each) => typeof each === 'string') : [];
  }

  #text(): string | undefined {
    requireOwnFolder(path.dirname(this.#file));
    return ofOurs(this.#file, () => readPlainFile(this.#file, MOST_MIB));
  }
}

/** Makes a folder that Git does not see. Throws `RunFault` for a link or a file in its place. */
export function makeOwnFolder(folder: string): string {
  requireOwnFolder(folder);
  mkdirSync(folder, { recursive: true });
  writePlainFile(path.join(folder, IGNORED), '*\n');
  return folder;
}

/** Writes a file of the folder; one that is read-only has no memory, and the run has been made all the same. */
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

/** Undefined for what the system refuses. Throws `RunFault` for what is not a plain file or folder. */
function ofOurs<T>(name: string, use: () => T): T | undefined {
  try {
    return use();
  } catch (error) {
    if (!(error instanceof EmulatorError)) return undefined;
    throw new RunFault(`${name} cannot be used: ${error.message} Remove it, and check again.`);
  }
}
