import path from 'node:path';
import {
  type Printable,
  pageOf,
  printJunit,
  printReportMarkdown,
  printSarif,
  printText,
} from '../../check/print-report.ts';
import { EXIT } from '../process-end.ts';
import { asJson, keepOutput } from '../report-files.ts';
import { say } from '../terminal-output.ts';
import { ReportMask } from './report-mask.ts';

/** A report that is to be shown. */
interface Showing<Report> {
  report: Report;
  /** Of `--report`. */
  files?: readonly string[] | undefined;
  /** Makes what all formats print; `isWhole`: with what only a terminal and a page show beside the report. */
  print(report: Report, isWhole: boolean): Printable;
  /** In place of the text of the report. */
  text?: string | undefined;
}

/** Prints a report and writes its files, each as its name ends, all without secrets; answers its page. */
export async function showReport<Report extends object>({ report, files = [], print, text }: Showing<Report>) {
  const mask = new ReportMask();
  const masked = mask.of(report);
  const page = async () => {
    const { writePage } = await import('../../control/trace/write-trace.ts');
    const printed = print(masked, true);
    return writePage(mask.of(pageOf(printed)), mask.text(printText({ ...printed, bounds: {} })));
  };
  const printers: Readonly<Record<string, () => string | Promise<string>>> = {
    '.json': () => asJson(masked),
    '.html': page,
    '.xml': () => printJunit(print(masked, false)),
    '.md': () => printReportMarkdown(print(masked, false)),
    '.sarif': () => printSarif(print(masked, false)),
  };
  say(mask.text(text ?? printText(print(masked, true))));
  for (const file of files) {
    keepOutput('--report', file, (await printers[path.extname(file)]?.()) ?? '', EXIT.wrongUse);
  }
  return page;
}
