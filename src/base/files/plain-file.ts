import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { invalidRequestError, systemErrorCode } from '../errors.ts';

const MAX_MIB = 100;
const MIB = 1_048_576;
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const OWN_OUTPUT = /^\/dev\/(?:stdout|stderr|null|fd\/\d{1,4})$/;

/**
 * Throws `invalid_request` for a link, a pipe, a device or a file that is too large, and the system's error otherwise.
 */
export function readPlainFile(file: string, mostMib = MAX_MIB): string {
  return readPlainFileBytes(file, mostMib)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
}

export function readPlainFileBytes(file: string, mostMib = MAX_MIB): Buffer {
  return withPlain(file, O_RDONLY, (handle) => readFileSync(handle), mostMib);
}

export function writePlainFile(file: string, content: string | Buffer, flag: 'w' | 'a' = 'w'): void {
  if (isOutputDevicePath(file)) writeFileSync(file, content, { flag });
  else {
    withPlain(file, O_WRONLY | O_CREAT | (flag === 'a' ? O_APPEND : 0), (handle) => {
      if (flag === 'w') ftruncateSync(handle);
      writeFileSync(handle, content);
    });
  }
}

export function isOutputDevicePath(file: string): boolean {
  return OWN_OUTPUT.test(file);
}

/** Returns false if the file does not exist. Throws as `readPlainFile` does if the file cannot be written. */
export function requireWritableFileIfExists(file: string): boolean {
  if (isOutputDevicePath(file)) return true;
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) {
    requirePlainPath(file);
    return false;
  }
  return withPlain(file, O_WRONLY | O_APPEND, () => true);
}

export function requirePlainFolderIfExists(folder: string): void {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isDirectory()) throw invalidRequestError(null, 'it is not a plain folder.');
}

/** Accepts a folder, because the system's error for a folder is clear. */
export function rejectSpecialOrLargeFile(
  stats: Pick<Stats, 'isFile' | 'isDirectory' | 'size'>,
  mostMib = MAX_MIB,
): void {
  if (!stats.isFile() && !stats.isDirectory()) throw isPipe();
  if (stats.size > mostMib * MIB)
    throw invalidRequestError(null, `it is over ${mostMib} MiB; expected a smaller file.`);
}

/** Resolves the links in a path. Undefined if it does not lead into the folder. Returns the path of a missing file unchanged. */
export function resolvePathInFolder(folder: string, file: string): string | undefined {
  if (!isBelow(folder, file)) return undefined;
  const found = withoutLinks(file);
  return found === file || isBelow(realpathSync(folder), found) ? found : undefined;
}

function withoutLinks(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

function isBelow(folder: string, file: string): boolean {
  const way = path.relative(folder, file);
  // On Windows, the path to another drive stays absolute.
  return way !== '' && way.split(path.sep)[0] !== '..' && !path.isAbsolute(way);
}

function withPlain<T>(file: string, flags: number, use: (handle: number) => T, mostMib = Number.POSITIVE_INFINITY): T {
  requirePlainPath(file);
  const handle = openPlain(file, flags);
  try {
    rejectSpecialOrLargeFile(fstatSync(handle), mostMib);
    return use(handle);
  } finally {
    closeSync(handle);
  }
}

/** Without O_NONBLOCK, opening a pipe with nobody at its other end would block the process. */
function openPlain(file: string, flags: number): number {
  try {
    // Windows does not have these flags.
    return openSync(file, flags | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0), 0o666);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENXIO') throw isPipe();
    throw code === 'ELOOP' ? isLink('it') : error;
  }
}

/** Rejects a link at the file or in its path below the current folder. Links elsewhere in the path are accepted. */
function requirePlainPath(file: string): void {
  const whole = path.resolve(file);
  const below = path.relative(process.cwd(), path.dirname(whole));
  const isOutside = path.isAbsolute(below) || below.split(path.sep)[0] === '..';
  const names = isOutside || below === '' ? [] : below.split(path.sep);
  const folders = names.map((_, at) => path.join(process.cwd(), ...names.slice(0, at + 1)));
  const linked = folders.find(isLinkAt);
  if (linked !== undefined) throw isLink(`its folder ${path.relative(process.cwd(), linked)}`);
  if (isLinkAt(whole)) throw isLink('it');
}

function isLinkAt(name: string): boolean {
  return lstatSync(name, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function isPipe(): Error {
  return invalidRequestError(null, 'it is a pipe or a device; expected a plain file.');
}

function isLink(what: string): Error {
  return invalidRequestError(null, `${what} is a symbolic link; name the file that it leads to.`);
}
