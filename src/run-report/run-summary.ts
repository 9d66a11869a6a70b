import { counted } from '../log/log.ts';
import { workName } from './print-run-report.ts';
import type { RunReport } from './run-report.ts';

/** What a job summary shows beside the report itself. */
export interface SummaryParts {
  report: RunReport;
  complaints: readonly string[];
  trouble: readonly string[];
  /** Lines of the difference to the baseline. */
  difference: readonly string[];
}

/** A run as Markdown, for the page of its CI job. */
export function printRunSummary({ report, complaints, trouble, difference }: SummaryParts): string {
  const sum = `${counted(report.requests, 'request')}, **${counted(report.credits, 'credit')}**, ${counted(report.refunds, 'refund')}.`;
  return [
    '## svc-emulator',
    '',
    sum,
    ...block('Gates that fell', complaints),
    ...block('What went wrong', trouble),
    ...block('Against the baseline', difference),
    ...spendTable(report),
    '',
  ].join('\n');
}

function spendTable({ by_work: work }: RunReport): string[] {
  if (work.length === 0) return [];
  const rows = work.map((each) => `| ${cell(workName(each))} | ${each.charges} | ${each.refunds} | ${each.credits} |`);
  return ['', '| Work | Charges | Refunds | Credits |', '| --- | ---: | ---: | ---: |', ...rows];
}

function block(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `**${title}**`, '', ...lines.map((line) => `- ${text(line)}`)];
}

/** What users wrote stays text: no markup, no link, no mention. */
function text(line: string): string {
  return `\`${line.replace(/`/g, "'")}\``;
}

function cell(name: string): string {
  return name.replace(/\|/g, '\\|');
}
