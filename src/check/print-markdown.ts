import {
  asOneLine,
  countWithNoun,
  escapeMarkdown,
  markdownList,
  markdownSection,
  markdownTable,
} from '../base/text.ts';
import {
  describeTestExpectingSuccess,
  evidenceLines,
  findingsOfCheck,
  type PrintableReport,
  stateText,
  summaryLine,
} from './print-text.ts';
import type { Finding } from './report.ts';

const MAX_LISTED = 100;

export function formatMarkdownReport({ report, complaints, notes }: PrintableReport): string {
  const { checks, command, error, findings, measured, expects_success: expecting } = report;
  const failed = checks.filter(({ state }) => state === 'failed');
  const sections = failed.flatMap((check) => {
    const own = findingsOfCheck(check, findings);
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
    escapeMarkdown(error ?? ''),
    ...sections,
    markdownTable(['Check', 'State', 'Tried', 'Why'], rows),
    markdownList([...expecting.map(describeTestExpectingSuccess), ...complaints, ...notes].map(escapeMarkdown)),
  ]);
}

function markdownOf(finding: Finding): string {
  const { title, advice, replay, state } = finding;
  const known = state === 'new' ? '' : ` (${state})`;
  return [
    `- ${escapeMarkdown(title)}${known}`,
    ...evidenceLines(finding).map((line) => `  ${escapeMarkdown(line)}`),
    ...(advice === undefined ? [] : [`  Fix: ${escapeMarkdown(advice)}`]),
    `  Replay: \`${code(replay)}\``,
  ].join('  \n');
}

function code(text: string): string {
  return asOneLine(text).replaceAll('`', "'");
}
