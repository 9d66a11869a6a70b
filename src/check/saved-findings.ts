import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { parsedJson } from '../base/text.ts';
import { RunFault } from './runner/runner.ts';
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
      writePlain(this.#file, `${JSON.stringify([...new Set([...tokens, ...older])].slice(0, MOST), null, 2)}\n`);
    } catch (error) {
      if (error instanceof RunFault) throw error;
      // A folder that is read-only has no memory.
    }
  }

  #tokens(): string[] {
    requirePlainFolder(path.dirname(this.#file));
    const found = parsedJson(readPlain(this.#file));
    return Array.isArray(found) ? found.filter((each) => typeof each === 'string') : [];
  }
}

/** Makes a folder that Git does not see. */
export function makeOwnFolder(folder: string): string {
  requirePlainFolder(folder);
  mkdirSync(folder, { recursive: true });
  writePlain(path.join(folder, '.gitignore'), '*\n');
  return folder;
}

/** Bytes of a file of the folder that are read. */
const MOST_BYTES = 1_048_576;
const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** Throws `RunFault` for a link or a file in its place: what is written there would be elsewhere. */
function requirePlainFolder(folder: string): void {
  const facts = lstatSync(folder, { throwIfNoEntry: false });
  if (facts !== undefined && !facts.isDirectory()) throw notPlain(folder, 'a plain folder');
}

/** Undefined if there is no such file. Throws `RunFault` for a link, a pipe, a device, a folder and a large file. */
function readPlain(file: string): string | undefined {
  return withPlain(file, O_RDONLY, (handle) => readFileSync(handle, 'utf8'));
}

/** Throws `RunFault` as `readPlain`. */
function writePlain(file: string, text: string): void {
  withPlain(file, O_WRONLY | O_CREAT, (handle) => {
    ftruncateSync(handle);
    writeFileSync(handle, text);
  });
}

function withPlain<T>(file: string, flags: number, use: (handle: number) => T): T | undefined {
  let handle: number;
  try {
    handle = openSync(file, flags | O_NOFOLLOW | O_NONBLOCK, 0o644);
  } catch (error) {
    const { code } = Object(error);
    if (code === 'ENOENT') return undefined;
    if (['ELOOP', 'EISDIR', 'ENXIO'].includes(code)) throw notPlain(file, 'a plain file');
    throw error;
  }
  try {
    const facts = fstatSync(handle);
    if (!facts.isFile() || facts.size > MOST_BYTES) throw notPlain(file, 'a plain file of at most 1 MiB');
    return use(handle);
  } finally {
    closeSync(handle);
  }
}

function notPlain(file: string, expected: string): RunFault {
  return new RunFault(`${file} is not ${expected}, so it is neither read nor written. Remove it, and check again.`);
}
