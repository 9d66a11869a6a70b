import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { EmulatorError } from '../base/errors.ts';
import {
  readPlainFile,
  requirePlainFolderIfExists,
  requireWritableFileIfExists,
  writePlainFile,
} from '../base/files/plain-file.ts';
import { tryParseJson } from '../base/text.ts';
import { CHECK_REPORT_FILE } from '../dashboard/mount-dashboard.ts';
import { CannotRunError } from './runner/runner.ts';
import { type DecodedToken, decodeToken } from './token.ts';

export const CHECK_FOLDER = '.svc-check';
const FILE = 'findings.json';
const IGNORED = '.gitignore';
const MAX_TOKENS = 200;
const MAX_MIB = 1;

export class SavedFindingTokens {
  readonly #file: string;

  constructor(folder: string) {
    this.#file = path.join(folder, CHECK_FOLDER, FILE);
  }

  read(version: string): DecodedToken[] {
    return this.#tokens().flatMap((token) => {
      const replay = decodeToken(token);
      return replay?.version === version ? [replay] : [];
    });
  }

  keep(tokens: readonly string[]): void {
    const before = this.#tokens();
    const older = before.filter((token) => decodeToken(token) !== undefined);
    if (tokens.length + before.length === 0) return;
    const kept = [...new Set([...tokens, ...older])].slice(0, MAX_TOKENS);
    writeFileInCheckFolder(path.dirname(this.#file), FILE, `${JSON.stringify(kept, null, 2)}\n`);
  }

  #tokens(): string[] {
    const found = tryParseJson(this.#text());
    return Array.isArray(found) ? found.filter((each) => typeof each === 'string') : [];
  }

  #text(): string | undefined {
    requireSafeCheckFolder(path.dirname(this.#file));
    return ofOurs(this.#file, () => readPlainFile(this.#file, MAX_MIB));
  }
}

/** Throws `CannotRunError` as `requireSafeCheckFolder` does, and the system's error if the folder cannot be made. */
export function makeCheckFolder(folder: string): string {
  requireSafeCheckFolder(folder);
  mkdirSync(folder, { recursive: true });
  writePlainFile(path.join(folder, IGNORED), '*\n');
  return folder;
}

/** Ignores errors of the file system, such as a read-only folder, because the check itself is complete. */
export function writeFileInCheckFolder(folder: string, name: string, text: string): void {
  requireSafeCheckFolder(folder);
  const file = path.join(folder, name);
  ofOurs(file, () => writePlainFile(path.join(makeCheckFolder(folder), name), text));
}

/** Throws `CannotRunError` if the folder is a file or a link, or if a file of `check` in it is a link, a pipe or a device. */
export function requireSafeCheckFolder(folder: string): void {
  ofOurs(folder, () => requirePlainFolderIfExists(folder));
  for (const name of [IGNORED, FILE, path.basename(CHECK_REPORT_FILE)]) {
    const file = path.join(folder, name);
    ofOurs(file, () => requireWritableFileIfExists(file));
  }
}

/**
 * Returns undefined after an error of the file system, such as a missing file or no access. Throws `CannotRunError` if
 * the path may not be used, such as a link.
 */
function ofOurs<T>(name: string, use: () => T): T | undefined {
  try {
    return use();
  } catch (error) {
    if (!(error instanceof EmulatorError)) return undefined;
    throw new CannotRunError(`${name} cannot be used: ${error.message} Remove it, and check again.`);
  }
}
