import type { DriftReport } from '../check/service/drift-report.ts';
import { TenthProgress } from './progress-bar.ts';
import { writeReportFiles } from './report-files.ts';

/** How the files of drift's `--report` may end. */
export const DRIFT_REPORTS = ['.json', '.html', '.md', '.xml'];

/** Writes a report, each file as its name ends. */
export function writeDriftReports(files: readonly string[], report: DriftReport, isStrict: boolean): Promise<void> {
  return writeReportFiles(files, (file) => textOf(file, report, isStrict));
}

async function textOf(file: string, report: DriftReport, isStrict: boolean): Promise<string> {
  if (file.endsWith('.json')) return `${JSON.stringify(report, null, 2)}\n`;
  const { driftFile, printDriftJunit, printDriftMarkdown } = await import('../check/service/print-drift.ts');
  if (file.endsWith('.xml')) return printDriftJunit(report, isStrict);
  if (file.endsWith('.md')) return printDriftMarkdown(report);
  const { writePage } = await import('../control/trace/write-trace.ts');
  return writePage(driftFile(report));
}

/** How far a measurement is: one line on a terminal, else a line for each tenth of the plan. */
export class DriftProgress {
  readonly #tenths = new TenthProgress();

  show(done: number, planned: number): void {
    const words = `measured ${done} of ${planned} cases`;
    this.#tenths.show(done / Math.max(1, planned), words, () => words);
  }

  end(): void {
    this.#tenths.end();
  }
}
