import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CommandEnd, EXIT } from './process-end.ts';

/** The files of `--report`, tried before the first run: one that cannot be written should not cost it. Leaves none behind. */
export function requireWritable(files: readonly string[], endings: readonly string[]): void {
  for (const file of files) {
    if (!endings.some((ending) => file.endsWith(ending))) {
      throw unusable(`${file}; expected a file that ends in ${endings.slice(0, -1).join(', ')} or ${endings.at(-1)}.`);
    }
    if (!existsSync(path.dirname(path.resolve(file))))
      throw unusable(`${file}; expected a file in a folder that exists.`);
    const isNew = !existsSync(file);
    written(file, '--report', () => {
      writeFileSync(file, '', { flag: 'a' });
      if (isNew) rmSync(file);
    });
  }
}

function unusable(what: string, flag = '--report'): CommandEnd {
  return new CommandEnd(EXIT.wrongUse, `${flag} is ${what}`);
}

/** Writes each file of `--report`; `textOf` prints a report as the name of its file ends. */
export async function writeReportFiles(
  files: readonly string[],
  textOf: (file: string) => Promise<string>,
): Promise<void> {
  for (const file of files) {
    const text = await textOf(file);
    written(file, '--report', () => writeFileSync(file, text));
  }
}

/** Of every command that prints one document. */
export const OUT = ['--out <file>', 'where it is written (default: standard output)'] as const;

/** Writes the file of `--out`, in a folder that is made where there is none; without one, to standard output. */
export function writeOut(file: string | undefined, text: string): void {
  if (file === undefined) {
    process.stdout.write(text);
    return;
  }
  written(file, '--out', () => {
    mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
    writeFileSync(file, text);
  });
}

function written(file: string, flag: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw unusable(`${file}, which cannot be written: ${Object(error).message}.`, flag);
  }
}

export function requireFolder(flag: string, file: string): void {
  if (existsSync(path.dirname(path.resolve(file)))) return;
  throw new CommandEnd(EXIT.wrongUse, `${flag} is ${file}; expected a file in a folder that exists.`);
}
