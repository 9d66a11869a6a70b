import { counted } from '../log/log.ts';
import { choiceOfFinding } from '../package/choice-table.ts';
import type { RunReport, SpendCounts, WorkSpend } from './run-report.ts';

/** The report for a reader: what the run cost, what the client did wrong, and which rules proved nothing. */
export function printRunReport(report: RunReport): string {
  if (report.requests === 0) return 'The run made no request to the service.';
  const { requests, answered, astray, unstruck_faults: unstruck, findings, unsettled } = report;
  return [
    `The run made ${counted(requests, 'request')} and cost ${inWords(report)}.`,
    ...(answered > 0 || astray === null
      ? []
      : [`${counted(requests - answered, 'request')} met no operation; the first was told: ${astray}`]),
    ...listed('Fault rules that never struck:', unstruck),
    ...listed(
      'Verdict:',
      findings.map(({ finding, message }) => `${finding}: ${message} (choice ${choiceOfFinding(finding)})`),
    ),
    ...(unsettled === null ? [] : [`Not waited for, and so not in the sum: ${unsettled}`]),
  ].join('\n');
}

/** What a piece of work is called: the operation, and the model where there is one. */
export function workName({ operation, model }: Pick<WorkSpend, 'operation' | 'model'>): string {
  return model === null ? operation : `${operation} ${model}`;
}

function listed(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
}

function inWords({ credits, charges, refunds }: SpendCounts): string {
  return `${counted(credits, 'credit')} (${counted(charges, 'charge')}, ${counted(refunds, 'refund')})`;
}
