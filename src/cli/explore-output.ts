import type { ExploreReport, SearchProgress } from '../explore/explore-report.ts';
import { reportFile, type Shown } from '../explore/finding-articles.ts';
import { printExploreJunit } from '../explore/print-finding.ts';
import { counted } from '../log/log.ts';
import { TenthProgress } from './progress-bar.ts';
import { writeReportFiles } from './report-files.ts';

/** How the files of explore's `--report` may end. */
export const EXPLORE_REPORTS = ['.json', '.xml', '.html'];

/** Writes a report, each file as its name ends. */
export function writeReports(files: readonly string[], report: ExploreReport, shown: Shown): Promise<void> {
  return writeReportFiles(files, (file) => textOf(file, report, shown));
}

async function textOf(file: string, report: ExploreReport, shown: Shown): Promise<string> {
  if (file.endsWith('.xml')) return printExploreJunit(report);
  if (file.endsWith('.json')) return `${JSON.stringify(report, null, 2)}\n`;
  const { writePage } = await import('../trace/write-trace.ts');
  return writePage(reportFile(report, shown));
}

const WIDTH = 24;

/** How far a search is: a bar on a terminal, else a line for each tenth. */
export class ExploreProgress {
  readonly #budgetMs: number;
  readonly #tenths = new TenthProgress();

  constructor({ budgetMs }: { budgetMs: number }) {
    this.#budgetMs = budgetMs;
  }

  show(progress: SearchProgress): void {
    const share = this.#share(progress);
    const bar = '='.repeat(Math.round(share * WIDTH)).padEnd(WIDTH);
    const words = this.#words(progress);
    this.#tenths.show(share, `exploring [${bar}] ${words}`, (tenth) => `explored ${tenth * 10} %: ${words}`);
  }

  end(): void {
    this.#tenths.end();
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
