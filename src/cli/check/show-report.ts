import path from 'node:path';
import { secretValues } from '../../base/config/secret-values.ts';
import {
  type Printable,
  pageOf,
  printJunit,
  printReportMarkdown,
  printSarif,
  printText,
} from '../../check/print-report.ts';
import { Mask } from '../../control/mask/mask.ts';
import { EXIT } from '../process-end.ts';
import { asJson, keepOutput } from '../report-files.ts';
import { say } from '../terminal-output.ts';

/** What a command printed, or was said of it. */
const PRINTED = ['output', 'message'];
/** A shorter one is hidden in what was printed alone: a name is to stay the same wherever it is. */
const SHORTEST_ANYWHERE = 6;

/** Hides in reports what traces hide: keys, signing secrets, and the secret values of this environment. */
export class ReportMask {
  readonly #mask: Mask;
  readonly #anywhere: Mask;

  constructor(env: NodeJS.ProcessEnv = process.env) {
    const secrets = secretValues(env);
    this.#mask = new Mask(secrets);
    this.#anywhere = new Mask(secrets.filter(({ length }) => length >= SHORTEST_ANYWHERE));
  }

  /** A report of texts, numbers, lists and records. */
  of<Report extends object>(report: Report): Report {
    const printed = JSON.stringify(report, (key, value: unknown) =>
      PRINTED.includes(key) && typeof value === 'string' ? this.text(value) : value,
    );
    return JSON.parse(this.#anywhere.json(JSON.parse(printed))) as Report;
  }

  text(text: string): string {
    return this.#mask.lines(text.split('\n')).join('\n');
  }
}

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
