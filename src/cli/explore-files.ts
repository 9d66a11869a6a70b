import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ExploreReport } from '../explore/explore-report.ts';
import { printExploreJunit } from '../explore/print-junit.ts';
import type { Shown } from '../explore/print-page.ts';
import { CommandEnd } from './command-end.ts';
import { EXIT } from './command-failure.ts';

/** The files of `--report`, tried before the first run: one that cannot be written should not cost it. Leaves none behind. */
export function requireWritable(files: readonly string[]): void {
  for (const file of files) {
    if (!/\.(?:json|xml|html)$/.test(file))
      throw unusable(`${file}; expected a file that ends in .json, .xml or .html.`);
    if (!existsSync(path.dirname(path.resolve(file))))
      throw unusable(`${file}; expected a file in a folder that exists.`);
    const isNew = !existsSync(file);
    written(file, () => {
      writeFileSync(file, '', { flag: 'a' });
      if (isNew) rmSync(file);
    });
  }
}

function unusable(what: string): CommandEnd {
  return new CommandEnd(EXIT.wrongUse, `--report is ${what}`);
}

/** Writes a report, each file as its name ends. */
export async function writeReports(files: readonly string[], report: ExploreReport, shown: Shown): Promise<void> {
  for (const file of files) {
    const text = await textOf(file, report, shown);
    written(file, () => writeFileSync(file, text));
  }
}

function written(file: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw unusable(`${file}, which cannot be written: ${Object(error).message}.`);
  }
}

async function textOf(file: string, report: ExploreReport, shown: Shown): Promise<string> {
  if (file.endsWith('.xml')) return printExploreJunit(report);
  if (file.endsWith('.json')) return `${JSON.stringify(report, null, 2)}\n`;
  const { printExplorePage } = await import('../explore/print-page.ts');
  return printExplorePage(report, shown);
}
