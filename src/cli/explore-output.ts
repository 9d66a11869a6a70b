import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ExploreReport, SearchProgress } from '../explore/explore-report.ts';
import { printExploreJunit, reportFile, type Shown } from '../explore/print-finding.ts';
import { counted } from '../log/log.ts';
import { CommandEnd, EXIT } from './process-end.ts';

/** How the files of explore's `--report` may end. */
export const EXPLORE_REPORTS = ['.json', '.xml', '.html'];

/** The files of `--report`, tried before the first run: one that cannot be written should not cost it. Leaves none behind. */
export function requireWritable(files: readonly string[], endings: readonly string[]): void {
  for (const file of files) {
    if (!endings.some((ending) => file.endsWith(ending))) {
      throw unusable(`${file}; expected a file that ends in ${endings.slice(0, -1).join(', ')} or ${endings.at(-1)}.`);
    }
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
  const { writePage } = await import('../trace/write-trace.ts');
  return writePage(reportFile(report, shown));
}

const WIDTH = 24;
const CLEAR_LINE = '\r\u001b[K';

/** How far a search is: a bar on a terminal, else a line for each tenth. */
export class ExploreProgress {
  readonly #budgetMs: number;
  #printed = 0;

  constructor({ budgetMs }: { budgetMs: number }) {
    this.#budgetMs = budgetMs;
  }

  show(progress: SearchProgress): void {
    const share = this.#share(progress);
    if (process.stderr.isTTY) {
      const bar = '='.repeat(Math.round(share * WIDTH)).padEnd(WIDTH);
      process.stderr.write(
        `${CLEAR_LINE}exploring [${bar}] ${this.#words(progress)}`.slice(
          0,
          (process.stderr.columns ?? 80) + CLEAR_LINE.length - 1,
        ),
      );
      return;
    }
    const tenth = Math.floor(share * 10);
    if (tenth <= this.#printed) return;
    this.#printed = tenth;
    process.stderr.write(`explored ${tenth * 10} %: ${this.#words(progress)}\n`);
  }

  end(): void {
    if (process.stderr.isTTY) process.stderr.write(CLEAR_LINE);
  }

  #words({ run, findings, elapsedMs }: SearchProgress): string {
    const left = this.#budgetMs === 0 ? '' : `, ${Math.max(0, Math.ceil((this.#budgetMs - elapsedMs) / 1000))} s left`;
    return `${counted(run, 'schedule')}, ${counted(findings, 'finding')}${left}`;
  }

  #share({ run, total, elapsedMs }: SearchProgress): number {
    const ofTime = this.#budgetMs === 0 ? 0 : elapsedMs / this.#budgetMs;
    return Math.min(1, Math.max(ofTime, total === 0 ? 1 : run / total));
  }
}
