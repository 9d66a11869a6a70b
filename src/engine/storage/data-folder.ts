import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Config } from '../../base/config/config.ts';
import { findDatabaseProblem, SCHEMA_VERSION } from '../../base/database/database-file.ts';
import { isDatabaseMarkedIntact, markDatabaseIntact } from '../../base/database/intact-mark.ts';
import { openSqlite, type SqliteDatabase } from '../../base/database/open-sqlite.ts';
import { EmulatorError, systemErrorCode } from '../../base/errors.ts';
import { makeFolder } from '../../base/files/make-folder.ts';
import { describeSystemError } from '../../base/system-error.ts';
import { storedContentProblem } from './content-check-store.ts';

const MARKER = 'svc-emulator.json';
const FORMAT = 1;
const LOCK = 'lock.db';
const DATABASE = 'emulator.db';
/** A folder that contains only these files counts as empty. */
const PLACEHOLDERS = ['.gitkeep', '.gitignore'];

export interface DataFolder {
  readonly path: string;
  /** A folder for unfinished files, inside the data folder so that a rename is atomic. Emptied at each start. */
  readonly temporary: string;
  /** True if the folder is removed after use. Then nothing is written that only a later start needs. */
  readonly isEphemeral: boolean;
  /** Marks the closed database as intact, so that the next start need not check all of it. */
  markIntact(): void;
  /** Unlocks the folder, and removes it if `openDataFolder` made it for one use. May be called twice. */
  release(): void;
  /** Call this after a failed start. Unlocks the folder, and removes it if it did not exist before the start. */
  abandon(): void;
}

/**
 * Makes or opens the data folder, and locks it until `release` or the end of the process. Throws `DataFolderInUse`, or
 * `DataFolderUnusable` if the folder cannot be written, is damaged or belongs to something else. Its files then stay as
 * they were.
 */
export function openDataFolder({ dataDir, ephemeral }: Pick<Config, 'dataDir' | 'ephemeral'>): DataFolder {
  if (!ephemeral) return addFolderToErrors(dataDir, () => open(dataDir));
  const folder = makeEphemeralDataFolder(makeTemporaryFolder());
  const lock = addFolderToErrors(folder.path, () => takeLock(folder.path));
  const release = () => {
    lock.close();
    rmSync(folder.path, { recursive: true, force: true });
  };
  return { ...folder, release, abandon: release };
}

/** The names of temporary folders, which contain the id of the process that made the folder. */
const OF_PROCESS = /^svc-(?:check|emulator|renders)-(\d{1,10})-[A-Za-z0-9]{6}$/;

export async function removeAbandonedFolders(): Promise<void> {
  for (const name of (await readdir(tmpdir())).filter(isOfGoneProcess)) {
    const folder = path.join(tmpdir(), name);
    if (isUnlocked(folder)) await removeQuietly(folder);
  }
}

async function removeQuietly(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(() => undefined);
}

function isOfGoneProcess(name: string): boolean {
  const [, pid] = OF_PROCESS.exec(name) ?? [];
  if (pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return Object(error).code === 'ESRCH';
  }
}

/** Checks the lock of a folder, because its process may run in another container, where its id is unknown here. */
function isUnlocked(folder: string): boolean {
  if (!existsSync(path.join(folder, LOCK))) return true;
  try {
    takeLock(folder).close();
    return true;
  } catch {
    return false;
  }
}

/** Makes a folder without a marker file and a lock. The caller removes it. Throws `DataFolderUnusable`. */
export function makeEphemeralDataFolder(folder: string): DataFolder {
  const temporary = path.join(folder, 'tmp');
  return addFolderToErrors(folder, () => {
    makeFolder(folder, 0o700);
    mkdirSync(temporary, { mode: 0o700 });
    const nothing = () => undefined;
    return { path: folder, temporary, isEphemeral: true, markIntact: nothing, release: nothing, abandon: nothing };
  });
}

export function makeTemporaryFolder(): string {
  try {
    return mkdtempSync(path.join(tmpdir(), `svc-emulator-${process.pid}-`));
  } catch (error) {
    throw new DataFolderUnusable(
      `The temporary folder ${tmpdir()} cannot be used: ${describeSystemError(error)}. Set TMPDIR to a folder that this user may write, with space on its disk.`,
      { cause: error },
    );
  }
}

function open(folder: string): DataFolder {
  // Only the owner may read a folder made here [I229]. An existing folder keeps its mode.
  const made = makeFolder(folder, 0o700);
  claim(folder);
  requirePlainEntries(folder);
  requireKinds(folder);
  const lock = takeLock(folder);
  const temporary = path.join(folder, 'tmp');
  try {
    requireSoundState(folder);
    rmSync(temporary, { recursive: true, force: true });
    mkdirSync(temporary, { mode: 0o700 });
  } catch (error) {
    lock.close();
    throw error;
  }
  const release = () => lock.close();
  const abandon = () => {
    release();
    removeMade(folder, made);
  };
  const mark = () => markDatabaseIntact(path.join(folder, DATABASE));
  return { path: folder, temporary, isEphemeral: false, markIntact: mark, release, abandon };
}

/** Removes the data folder if it was made at this start, with its contents, and then those new parents that are empty. */
function removeMade(folder: string, [innermost, ...parents]: readonly string[]): void {
  if (innermost !== folder) return;
  rmSync(folder, { recursive: true, force: true });
  for (const parent of parents) if (readdirSync(parent).length === 0) rmdirSync(parent);
}

function claim(folder: string): void {
  const marker = path.join(folder, MARKER);
  const others = readdirSync(folder).filter((name) => !PLACEHOLDERS.includes(name) && !name.startsWith(MARKER));
  if (existsSync(marker)) {
    checkFormat(folder, marker);
    return;
  }
  if (others.length > 0) {
    throw new DataFolderUnusable(
      `The data folder ${folder} is not empty and was not made by svc-emulator (it contains ${JSON.stringify(others[0])}); nothing in it was touched. Choose an empty or a new folder with --data-dir, or keep nothing with --ephemeral.`,
    );
  }
  keepOutOfGit(folder);
  const fresh = `${marker}.${process.pid}`;
  writeFileSync(fresh, `${JSON.stringify({ program: 'svc-emulator', format: FORMAT })}\n`, { mode: 0o600 });
  renameSync(fresh, marker);
}

/**
 * Throws `DataFolderUnusable` for a link, a pipe or a device inside: a folder from someone else could otherwise reach
 * files of the user. A link to the folder itself is allowed.
 */
function requirePlainEntries(folder: string): void {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const odd = entries.find((entry) => !entry.isFile() && !entry.isDirectory());
  if (!odd) return;
  const name = path.join(path.relative(folder, odd.parentPath), odd.name);
  throw new DataFolderUnusable(
    `The data folder ${folder} contains ${JSON.stringify(name)}, which is neither a plain file nor a folder; nothing in it was touched. Remove it, or choose another folder with --data-dir.`,
  );
}

/** Files and folders of a data folder. An empty `neverEmpty` file is damaged, because the emulator never creates one. */
const ENTRIES = [
  { name: DATABASE, isFile: true, neverEmpty: true },
  { name: `${DATABASE}-wal`, isFile: true },
  { name: `${DATABASE}-shm`, isFile: true },
  { name: LOCK, isFile: true },
  { name: 'journal.db', isFile: true },
  { name: 'files', isFile: false },
  { name: 'snapshots', isFile: false },
];

function requireKinds(folder: string): void {
  for (const { name, isFile, neverEmpty } of ENTRIES) {
    const found = statSync(path.join(folder, name), { throwIfNoEntry: false });
    if (!found) continue;
    if (found.isFile() !== isFile) throw damagedFolderError(folder, `${name} is not a ${isFile ? 'file' : 'folder'}`);
    if (isFile) accessSync(path.join(folder, name), constants.R_OK | constants.W_OK);
    if (neverEmpty && found.size === 0) throw damagedFolderError(folder, `${name} is empty`);
  }
}

/** Checks the state without writing, because the database may be that of another program. Throws `DataFolderUnusable`. */
function requireSoundState(folder: string): void {
  const file = path.join(folder, DATABASE);
  const isKnown = !existsSync(file) || isDatabaseMarkedIntact(file);
  const fault = isKnown ? undefined : findDatabaseProblem(file, storedContentProblem);
  if (fault === undefined) return;
  if ('damage' in fault) throw damagedFolderError(folder, `emulator.db cannot be read (${fault.damage})`);
  const message =
    'newer' in fault
      ? `The data folder ${folder} was made by a newer svc-emulator (its schema is ${fault.newer}, this one knows ${SCHEMA_VERSION}). Upgrade, or choose another folder with --data-dir.`
      : `The database of the data folder ${folder} was not made by svc-emulator: ${fault.foreign}. No file was touched. Choose another folder with --data-dir.`;
  throw new DataFolderUnusable(message);
}

export function damagedFolderError(folder: string, damage: string, cause?: unknown): DataFolderUnusable {
  return new DataFolderUnusable(
    `The data folder ${folder} is damaged: ${damage}. Restore a copy of it, choose another folder with --data-dir, or delete this one to begin with an empty state.`,
    { cause },
  );
}

function keepOutOfGit(folder: string): void {
  const file = path.join(folder, '.gitignore');
  if (!existsSync(file)) writeFileSync(file, '*\n', { mode: 0o600 });
}

function checkFormat(folder: string, marker: string): void {
  const { format } = readMarker(folder, marker);
  if (format === FORMAT) return;
  throw new DataFolderUnusable(
    `The data folder ${folder} has format ${JSON.stringify(format)}; this svc-emulator knows format ${FORMAT}. Upgrade it, or choose another folder with --data-dir.`,
  );
}

function readMarker(folder: string, marker: string): { format?: unknown } {
  try {
    return Object(JSON.parse(readFileSync(marker, 'utf8')));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new DataFolderUnusable(
      `The data folder ${folder} has a damaged ${MARKER}. Choose another folder with --data-dir, or restore {"program": "svc-emulator", "format": ${FORMAT}}.`,
      { cause: error },
    );
  }
}

/** Locks with an exclusive transaction that stays open: the system ends it with the process, even after a kill. */
function takeLock(folder: string): SqliteDatabase {
  const lock = openSqlite(path.join(folder, LOCK), { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (/^SQLITE_(?:NOTADB|CORRUPT)/.test(systemErrorCode(error) ?? '')) throw damagedLock(folder, error);
    if (!systemErrorCode(error)?.startsWith('SQLITE_BUSY')) throw error;
    throw new DataFolderInUse(
      `The data folder ${folder} is in use by another svc-emulator. Stop that one, choose another folder with --data-dir, or keep nothing with --ephemeral.`,
      { cause: error },
    );
  }
}

function damagedLock(folder: string, cause: unknown): DataFolderUnusable {
  const message = `The data folder ${folder} has a damaged ${LOCK}. Delete that file: it contains nothing, and the next start creates it again.`;
  return new DataFolderUnusable(message, { cause });
}

export class DataFolderInUse extends Error {
  override name = 'DataFolderInUse';
}

/** The data folder cannot be used. The message names the folder and the fix. Exit code 1. */
export class DataFolderUnusable extends Error {
  override name = 'DataFolderUnusable';
}

export function addFolderToErrors<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof EmulatorError || systemErrorCode(error) === undefined) throw error;
    const { path: file = folder } = Object(error) as { path?: string };
    const where = file === folder ? '' : ` (${file})`;
    throw new DataFolderUnusable(
      `The data folder ${folder} cannot be used: ${describeSystemError(error)}${where}. Make it a folder that this user may write, with space on its disk, or choose another one with --data-dir.`,
      { cause: error },
    );
  }
}
