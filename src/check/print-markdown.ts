import { asOneLine, countWithNoun, markdownList, markdownSection, markdownTable, markdownText } from '../base/text.ts';
import {
  evidenceLines,
  expectsSuccessText,
  findingsOf,
  type PrintedReport,
  stateText,
  summaryLine,
} from './print-text.ts';
import type { Finding } from './report.ts';

const MAX_LISTED = 100;

export function printReportMarkdown({ report, complaints, notes }: PrintedReport): string {
  const { checks, command, error, findings, measured, expects_success: expecting } = report;
  const failed = checks.filter(({ state }) => state === 'failed');
  const sections = failed.flatMap((check) => {
    const own = findingsOf(check, findings);
    const left = own.length - MAX_LISTED;
    const shown = own.slice(0, MAX_LISTED).map(markdownOf).join('\n');
    return [`**FAILED ${check.id}**`, shown, left > 0 ? `${left} more in the report.` : ''];
  });
  const rows = checks.map(({ id, state, tried, why, next }) => {
    const said = [why, next].filter(Boolean).join(': ');
    return [id, stateText(state), `${tried.run} of ${tried.of}`, said];
  });
  return markdownSection(`Check: ${summaryLine(report)}`, [
    `\`${code(command)}\`: ${measured.run} of ${countWithNoun(measured.planned, 'scenario')} in ${Math.round(measured.seconds)} s.`,
    markdownText(error ?? ''),
    ...sections,
    markdownTable(['Check', 'State', 'Tried', 'Why'], rows),
    markdownList([...expecting.map(expectsSuccessText), ...complaints, ...notes].map(markdownText)),
  ]);
}

function markdownOf(finding: Finding): string {
  const { title, advice, replay, state } = finding;
  const known = state === 'new' ? '' : ` (${state})`;
  return [
    `- ${markdownText(title)}${known}`,
    ...evidenceLines(finding).map((line) => `  ${markdownText(line)}`),
    ...(advice === undefined ? [] : [`  Fix: ${markdownText(advice)}`]),
    `  Replay: \`${code(replay)}\``,
  ].join('  \n');
}

function code(text: string): string {
  return asOneLine(text).replaceAll('`', "'");
}
