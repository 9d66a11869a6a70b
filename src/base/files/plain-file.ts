import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readFileSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { invalid, systemCode } from '../errors.ts';

/** What is read of a file at most. */
const MOST_MIB = 100;
const MIB = 1_048_576;
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const OWN_OUTPUT = /^\/dev\/(?:stdout|stderr|null|fd\/\d{1,4})$/;

/**
 * Reads a file that a user has named. Throws `invalid_request` for a link, a pipe, a device and a file that is too large,
 * and the system's error for a file that cannot be read.
 */
export function readPlainFile(file: string, mostMib = MOST_MIB): string {
  return readPlainBytes(file, mostMib)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
}

/** Throws as `readPlainFile`. */
export function readPlainBytes(file: string, mostMib = MOST_MIB): Buffer {
  return withPlain(file, O_RDONLY, (handle) => {
    requirePlain(fstatSync(handle), mostMib);
    return readFileSync(handle);
  });
}

/** Writes a file that a user has named, or appends to it (`a`). Throws as `readPlainFile`. */
export function writePlainFile(file: string, content: string | Buffer, flag: 'w' | 'a' = 'w'): void {
  if (isOwnOutput(file)) writeFileSync(file, content, { flag });
  else {
    withPlain(file, O_WRONLY | O_CREAT | (flag === 'a' ? O_APPEND : 0), (handle) => {
      if (flag === 'w') ftruncateSync(handle);
      writeFileSync(handle, content);
    });
  }
}

/** Whether a name is one of the output of this process, which may be a pipe or a terminal. */
export function isOwnOutput(file: string): boolean {
  return OWN_OUTPUT.test(file);
}

/** Whether there is such a file. Throws as `readPlainFile` if it could not be written. */
export function isPlainFile(file: string): boolean {
  if (isOwnOutput(file)) return true;
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) {
    requirePlainPath(file);
    return false;
  }
  return withPlain(file, O_WRONLY | O_APPEND, () => true);
}

/** Throws `invalid_request` for a link or a file in the place of a folder. */
export function requirePlainFolder(folder: string): void {
  const facts = lstatSync(folder, { throwIfNoEntry: false });
  if (facts !== undefined && !facts.isDirectory()) throw invalid(null, 'it is not a plain folder.');
}

/**
 * Throws `invalid_request` for a pipe or a device, which may never end, and for a file that is too large. A folder passes:
 * the system refuses to read it.
 */
export function requirePlain(facts: Pick<Stats, 'isFile' | 'isDirectory' | 'size'>, mostMib = MOST_MIB): void {
  if (!facts.isFile() && !facts.isDirectory()) throw invalid(null, 'it is a pipe or a device; expected a plain file.');
  if (facts.size > mostMib * MIB) throw invalid(null, `it is over ${mostMib} MiB; expected a smaller file.`);
}

function withPlain<T>(file: string, flags: number, use: (handle: number) => T): T {
  requirePlainPath(file);
  const handle = openPlain(file, flags);
  try {
    requirePlain(fstatSync(handle), Number.POSITIVE_INFINITY);
    return use(handle);
  } finally {
    closeSync(handle);
  }
}

/** A pipe without a reader is refused here, and would hold the process without the flag. */
function openPlain(file: string, flags: number): number {
  try {
    // Windows has neither flag.
    return openSync(file, flags | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0), 0o666);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENXIO') throw invalid(null, 'it is a pipe or a device; expected a plain file.');
    throw code === 'ELOOP' ? isLink('it') : error;
  }
}

/** Refuses a link in the place of the file, and of a folder between the current one and the file. */
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

function isLink(what: string): Error {
  return invalid(null, `${what} is a symbolic link; name the file that it leads to.`);
}
