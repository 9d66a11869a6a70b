import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { makeFolder } from '../base/files/make-folder.ts';
import {
  isOutputDevicePath,
  readPlainFile,
  requireWritableFileIfExists,
  writePlainFile,
} from '../base/files/plain-file.ts';
import { describeSystemError } from '../base/system-error.ts';
import { tryParseJson } from '../base/text.ts';
import { CommandError, EXIT_CODES, usageError } from './process-end.ts';
import { print } from './terminal-output.ts';

const REPORTS = {
  exec: ['by_work', 'by_account'],
  check: ['checks', 'findings', 'measured'],
  'check --prove': ['token', 'base', 'here', 'proven'],
};
const ENDINGS = ['.json', '.html', '.md', '.xml'];
type Reporter = keyof typeof REPORTS;

/**
 * Throws `CommandError` (2) for a file that cannot be written, or that has content other than a report of this command.
 * Also rejects a wrong ending for `check`.
 */
export function requireWritableReports(of: Reporter, files: readonly string[] = []): void {
  for (const file of files) {
    if (of !== 'exec' && !ENDINGS.includes(path.extname(file))) {
      const known = `${ENDINGS.slice(0, -1).join(', ')} or ${ENDINGS.at(-1)}`;
      throw usageError(`--report is ${shown(file)}; expected a file that ends in ${known}.`);
    }
    requireWritableOutput('--report', file);
    if (!existsSync(file) || isOutputDevicePath(file) || isReportOf(of, file, textOf(file))) continue;
    const fault = `--report is ${shown(file)}, which exists and is not a report of ${of}.`;
    throw usageError(`${fault} Remove it, or name another file.`);
  }
}

function isReportOf(of: Reporter, file: string, text: string): boolean {
  if (text.trim() === '') return true;
  if (file.endsWith('.xml')) return text.includes(`<testsuites name="svc-emulator ${of}"`);
  if (file.endsWith('.md')) return text.toLowerCase().startsWith(`### ${of}: `);
  if (file.endsWith('.html')) return text.includes('svc-emulator</title>');
  const report = Object(tryParseJson(text));
  return REPORTS[of].every((field) => field in report);
}

export function readReports<Report>(
  of: Reporter,
  files: readonly string[],
  read: (json: unknown) => Report | undefined,
): Report[] {
  return files.map((file) => {
    const report = read(tryParseJson(textOf(file)));
    if (report !== undefined) return report;
    throw usageError(`${shown(file)} is not a report; expected a JSON file that ${of} --report wrote.`);
  });
}

function textOf(file: string): string {
  try {
    return readPlainFile(file);
  } catch (error) {
    throw usageError(`${shown(file)} cannot be read: ${describeSystemError(error)}.`);
  }
}

export function requireWritableOutput(option: string, file: string): void {
  if (!existsSync(path.dirname(path.resolve(file)))) {
    throw usageError(`${option} is ${shown(file)}; expected a file in a folder that exists.`);
  }
  const fault = faultOf(option, file, () => {
    if (!requireWritableFileIfExists(file)) accessSync(path.dirname(path.resolve(file)), constants.W_OK);
  });
  if (fault !== undefined) throw usageError(fault);
}

export function writeOutputOrDescribeError(
  option: string,
  file: string,
  text: string | Buffer,
  flag: 'w' | 'a' = 'w',
): string | undefined {
  return faultOf(option, file, () => writePlainFile(file, text, flag));
}

export function writeOutputOrThrow(
  option: string,
  file: string,
  text: string | Buffer,
  exitCode: number = EXIT_CODES.failure,
): void {
  const fault = writeOutputOrDescribeError(option, file, text);
  if (fault !== undefined) throw new CommandError(exitCode, fault);
}

export function writeTraceFile(file: string, html: string): void {
  try {
    writePlainFile(file, html);
  } catch (error) {
    throw new CommandError(
      EXIT_CODES.failure,
      `The trace cannot be written to ${shown(file)}: ${describeSystemError(error)}.`,
    );
  }
}

function shown(file: string): string {
  return file.trim() === '' ? JSON.stringify(file) : file;
}

export function prettyJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

export const OUT_OPTION = ['--out <file>', 'write to this file (default: standard output)'] as const;

export function writeToFileOrStdout(file: string | undefined, text: string): void {
  if (file === undefined) {
    print(text);
    return;
  }
  const verb = existsSync(file) ? 'replaced' : 'wrote';
  const fault = faultOf('--out', file, () => {
    makeFolder(path.dirname(path.resolve(file)));
    writePlainFile(file, text);
  });
  if (fault !== undefined) throw usageError(fault);
  if (!isOutputDevicePath(file)) print(`${verb} ${file}\n`);
}

function faultOf(option: string, file: string, write: () => void): string | undefined {
  try {
    write();
    return undefined;
  } catch (error) {
    return `${option} is ${shown(file)}, which cannot be written: ${describeSystemError(error)}.`;
  }
}

/** Returns the absolute path. Throws `CommandError` (2) unless the folder is new or empty. */
export function requireNewOrEmptyFolder(folder: string): string {
  const full = path.resolve(folder);
  if (isUsed(folder, full)) throw unfitFolder(folder, 'is not empty');
  return full;
}

function isUsed(folder: string, full: string): boolean {
  try {
    const exists = existsSync(full);
    accessSync(exists ? full : path.dirname(full), constants.W_OK);
    return exists && readdirSync(full).length > 0;
  } catch (error) {
    throw unfitFolder(folder, `cannot be used: ${describeSystemError(error)}`);
  }
}

function unfitFolder(folder: string, fault: string): CommandError {
  return usageError(`--keep is ${shown(folder)}, which ${fault}; expected a folder that is new or empty.`);
}
