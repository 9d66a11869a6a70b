import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from 'node:fs';
import { systemErrorCode } from './errors.ts';

interface NativePart {
  name: string;
  /** The file of the part. Undefined if the error names it. */
  file?: string | undefined;
  install: string;
}

interface Cause {
  reason: string;
  remedy?: string;
}

export function describeLoadOrStartError(error: unknown, { name, file, install }: NativePart): string {
  const text = textOf(error);
  const { reason, remedy = install } = limitIn(text) ??
    causeInFile(file ?? /(?<!\S)(\/\S+\.node): /.exec(text)?.[1]) ??
    CAUSES.find(({ found }) => found.test(text)) ??
    missingLibrary(text) ?? { reason: text.trim().split('\n')[0] ?? '' };
  return `${name} cannot run: ${reason}. ${remedy}`;
}

export function describeSystemLimit(error: unknown): string | undefined {
  const limit = limitIn(textOf(error));
  return limit && `${limit.reason}. ${limit.remedy}`;
}

const LIMITS = [
  {
    found: /\bEAGAIN\b|resource temporarily unavailable|unable to create thread/i,
    reason: 'the system allows no more processes',
    remedy: 'Raise the limit (ulimit -u, or the limit of the container), or stop other programs.',
  },
  {
    found: /\bENOMEM\b|cannot allocate memory/i,
    reason: 'the system has no memory left',
    remedy: 'Stop other programs, or raise the limit of the container.',
  },
  {
    found: /\bE[MN]FILE\b|too many open files/i,
    reason: 'too many files are open',
    remedy: 'Raise the limit (ulimit -n).',
  },
];

function limitIn(text: string): (typeof LIMITS)[number] | undefined {
  return LIMITS.find(({ found }) => found.test(text));
}

const NOEXEC: Cause = {
  reason: 'its disk does not allow programs to run (it is mounted with noexec)',
  remedy: 'Install the package on another disk, or mount this one with exec.',
};
const OTHER_PLATFORM: Cause = {
  reason: `it was built for another platform than ${process.platform}-${process.arch}, or its file is damaged`,
};
const MISSING: Cause = { reason: `it is not installed for ${process.platform}-${process.arch}` };

const CAUSES: readonly (Cause & { found: RegExp })[] = [
  { found: /failed to map segment|operation not permitted/i, ...NOEXEC },
  {
    found: /NODE_MODULE_VERSION|different Node\.js version|did not self-register/,
    reason: 'it was compiled for another version of Node',
  },
  {
    found: /version [`'](?:GLIBC|CXXABI)\w*_[\d.]+' not found/,
    reason: 'the C library of this system is too old for it',
    remedy: 'Use a newer system.',
  },
  {
    found:
      /invalid ELF header|wrong ELF class|exec format|file too short|incompatible arch|ENOEXEC|EFTYPE|not a valid Win32/i,
    ...OTHER_PLATFORM,
  },
  { found: /\bENOENT\b|MODULE_NOT_FOUND|Could not load the "sharp" module[^\n]*\nPossible solutions/, ...MISSING },
  { found: /\b(?:EACCES|EPERM)\b|permission denied/i, reason: 'this user may not run it' },
];

function missingLibrary(text: string): Cause | undefined {
  const [, library] =
    /([\w.+-]{1,200}\.so[\w.]{0,50}): cannot open shared object|[Ee]rror loading shared library ([^:\s]+)/.exec(text) ??
    [];
  return library === undefined ? undefined : { reason: `the library ${library}, which it needs, is missing` };
}

/**
 * Finds in the file why it does not run. The error of the system misleads: Linux reports a missing loader as a missing file,
 * and the shell runs a program of another platform as a script.
 */
function causeInFile(file: string | undefined): Cause | undefined {
  if (file === undefined || process.platform === 'win32') return undefined;
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return { reason: 'its file is missing' };
  if (!stats.isFile()) return { reason: 'it is not a file' };
  const isLibrary = file.endsWith('.node');
  if (!isLibrary && (stats.mode & 0o111) === 0) {
    return { reason: 'its file is not executable', remedy: `Run chmod +x ${file}.` };
  }
  const start = startOf(file);
  if (start !== undefined && isOfAnotherPlatform(start)) return OTHER_PLATFORM;
  const loader = isLibrary || start === undefined ? undefined : loaderIn(start);
  if (loader !== undefined && !existsSync(loader)) return { reason: `its loader ${loader} is missing` };
  return isLibrary || isAllowed(file) ? undefined : NOEXEC;
}

function isAllowed(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function startOf(file: string): Buffer | undefined {
  const start = Buffer.alloc(4096);
  try {
    const handle = openSync(file, 'r');
    const length = readSync(handle, start);
    closeSync(handle);
    return start.subarray(0, length);
  } catch {
    return undefined;
  }
}

const ELF_MACHINES: Partial<Record<NodeJS.Architecture, number>> = { ia32: 3, arm: 40, x64: 62, arm64: 183 };

function isOfAnotherPlatform(start: Buffer): boolean {
  if (start.toString('latin1', 0, 2) === '#!') return false;
  if (process.platform !== 'linux') return start.toString('latin1', 1, 4) === 'ELF';
  const machine = ELF_MACHINES[process.arch];
  const isElf = start.length >= 20 && start.toString('latin1', 1, 4) === 'ELF';
  return !isElf || (machine !== undefined && start.readUInt16LE(18) !== machine);
}

function loaderIn(start: Buffer): string | undefined {
  const text = start.toString('latin1');
  return /^#! *(\S+)/.exec(text)?.[1] ?? /\0(\/[\w./-]*\/ld[\w.-]*)\0/.exec(text)?.[1];
}

function textOf(error: unknown): string {
  return [systemErrorCode(error), Object(error).message].filter(Boolean).join(' ');
}
