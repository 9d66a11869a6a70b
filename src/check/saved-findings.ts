import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Replay, readToken } from './token.ts';

/** What a check keeps of its own, below the folder that it runs in: Git does not see it. */
export const OWN_FOLDER = '.svc-check';
const FILE = 'findings.json';
/** The newest are kept. */
const MOST = 200;

/** Findings of earlier runs, kept next to a suite by their tokens. */
export class SavedFindings {
  readonly #file: string;

  /** `folder` is that of the suite. */
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
    try {
      makeOwnFolder(path.dirname(this.#file));
      writeFileSync(this.#file, `${JSON.stringify([...new Set([...tokens, ...older])].slice(0, MOST), null, 2)}\n`);
    } catch {
      // A folder that is read-only has no memory.
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
