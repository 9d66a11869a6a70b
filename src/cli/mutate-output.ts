import { counted } from '../base/counted.ts';
import type { MeasureProgress } from '../check/tests/measured-run.ts';
import type { Measurement } from '../check/tests/measurement.ts';
import { type Breaks, printMutateJunit, printMutateMarkdown, printSarif } from '../check/tests/report-formats.ts';
import type { MutateReport } from '../check/tests/report-schema.ts';
import { clearStatus, showStatus } from './progress-bar.ts';
import { writeReportFiles } from './report-files.ts';
import type { ReportMask } from './report-mask.ts';
import { sayAside } from './terminal-output.ts';

/** How the files of `--report` may end. */
export const MUTATE_REPORTS = ['.json', '.xml', '.html', '.sarif', '.md'];

interface Written {
  mask: ReportMask;
  /** With what a page shows beside the report. */
  measurement: Measurement | undefined;
  breaks: Breaks;
}

/** Writes a report, each file as its name ends. */
export function writeMutateReports(files: readonly string[], report: MutateReport, written: Written): Promise<void> {
  return writeReportFiles(files, (file) => textOf(file, report, written));
}

async function textOf(file: string, report: MutateReport, { mask, measurement, breaks }: Written): Promise<string> {
  if (file.endsWith('.xml')) return printMutateJunit(report, breaks);
  if (file.endsWith('.sarif')) return printSarif(report);
  if (file.endsWith('.md')) return printMutateMarkdown(report);
  if (file.endsWith('.json')) return `${JSON.stringify(report, null, 2)}\n`;
  const { mutateFile } = await import('../check/tests/mutate-page.ts');
  const { writePage } = await import('../control/trace/write-trace.ts');
  return writePage(mask.of(mutateFile(report, measurement)));
}

const TIME_IS_UP = ', the time of --budget is up';

/** How far a measurement is: one line on a terminal, else a line for each tenth of the plan. */
export class MutateProgress {
  readonly #budgetMs: number;
  #printed = '';

  constructor({ budgetMs }: { budgetMs: number }) {
    this.#budgetMs = budgetMs;
  }

  show(done: MeasureProgress): void {
    const words = this.#words(done);
    if (process.stderr.isTTY) {
      showStatus(words);
      return;
    }
    const tenth = done.planned === 0 ? 0 : Math.floor((10 * done.done) / done.planned);
    const step = `${done.phase} ${done.phase === 'lies' ? tenth : 0}`;
    if (step === this.#printed) return;
    this.#printed = step;
    sayAside(`${words}\n`);
  }

  end(): void {
    clearStatus();
  }

  #words({ phase, runs, done, planned, elapsedMs }: MeasureProgress): string {
    const left = this.#left(elapsedMs);
    if (phase === 'truth') return `on the truth: ${counted(runs, 'run')}`;
    if (phase === 'control') return 'with the service dead';
    if (phase === 'liberties') return `liberties: ${counted(runs, 'run')}${left}`;
    const always = left === TIME_IS_UP ? ', but one site of each lie of money and security is always tried' : '';
    return `lies: ${done} of ${planned}, ${counted(runs, 'run')}${left}${always}`;
  }

  #left(elapsedMs: number): string {
    if (this.#budgetMs === 0) return '';
    const seconds = Math.ceil((this.#budgetMs - elapsedMs) / 1000);
    return seconds > 0 ? `, ${seconds} s left` : TIME_IS_UP;
  }
}
