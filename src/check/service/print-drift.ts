import { counted } from '../../base/counted.ts';
import { grouped } from '../../base/grouped.ts';
import { type JunitCase, printJunitXml } from '../../base/junit.ts';
import { markdownTable, markdownText, printMarkdown } from '../../base/markdown.ts';
import { type ReportFile, tableParts } from '../../control/orders/report-file.ts';
import type { DriftReport, DriftResult } from './drift-report.ts';

/** Differences by what they touch, the gravest first. */
const GROUPS = [
  { title: 'Against a rule of the specification', is: ({ rule }: DriftResult) => rule !== undefined },
  { title: 'Otherwise than a choice of the emulator', is: ({ choice }: DriftResult) => choice !== undefined },
  { title: 'New', is: ({ rule, choice }: DriftResult) => rule === undefined && choice === undefined },
] as const;

function differing({ results }: DriftReport, outcome: DriftResult['outcome'] = 'differs'): DriftResult[] {
  return results.filter((each) => each.outcome === outcome);
}

function byGroup(report: DriftReport) {
  const all = differing(report);
  return GROUPS.map(({ title, is }) => ({ title, results: all.filter(is) })).filter(
    ({ results }) => results.length > 0,
  );
}

/** A difference in a sentence. */
function sentenceOf({ what, path, there, here }: DriftResult): string {
  const where = path === undefined || path === what ? what : `${what} ${path}`;
  return `${where}: ${there ?? 'nothing'} there, ${here ?? 'nothing'} here`;
}

function idOf({ rule, choice }: DriftResult): string {
  return rule ?? choice ?? 'new';
}

/** The answer for a reader. */
export function printDrift(report: DriftReport): string {
  const groups = byGroup(report).flatMap(({ title, results }) => [
    `${title}:`,
    ...results.flatMap((each) => [
      `  ${idOf(each).padEnd(5)} ${each.operation} ${each.case}`,
      `        ${sentenceOf(each)}`,
    ]),
    '',
  ]);
  const missed = differing(report, 'not_measured').map(
    (each) => `  ${each.operation} ${each.case}: ${each.there ?? each.here}`,
  );
  const shown =
    missed.length > MOST_MISSED
      ? [...missed.slice(0, MOST_MISSED), `  and ${missed.length - MOST_MISSED} more`]
      : missed;
  return [...groups, ...(missed.length > 0 ? ['Not measured:', ...shown, ''] : []), sumOf(report), ''].join('\n');
}

const MOST_MISSED = 10;

/** One sentence of numbers. */
export function sumOf(report: DriftReport): string {
  const { requests, credits, seconds } = report.measured;
  const counts = [
    `${differing(report, 'same').length} same`,
    ...byGroup(report).map(
      ({ title, results }) => `${results.length} ${title.charAt(0).toLowerCase()}${title.slice(1)}`,
    ),
    ...(['unused', 'not_measured'] as const).flatMap((outcome) => {
      const { length } = differing(report, outcome);
      return length === 0 ? [] : [`${length} ${outcome.replace('_', ' ')}`];
    }),
  ];
  const spent = `${counted(requests, 'request')}, ${counted(credits, 'credit')}, ${Math.round(seconds)} s`;
  return `${counts.join(', ')} (${spent}).`;
}

/** JUnit XML: a test for each case; it fails for a difference against a rule, with `isStrict` for any. */
export function printDriftJunit(report: DriftReport, isStrict: boolean): string {
  const cases = grouped(report.results, (each) => `${each.operation} ${each.case}`);
  const tests = [...cases.values()].map((results) => testOf(results, isStrict));
  const { against: suite, error } = report;
  return printJunitXml({ of: 'drift', suite, seconds: report.measured.seconds, cases: tests, error });
}

function testOf(results: readonly DriftResult[], isStrict: boolean): JunitCase {
  const [first = { operation: '', case: '' } as DriftResult] = results;
  const { operation: classname, case: name, there, here, outcome } = first;
  if (outcome === 'not_measured') return { classname, name, skipped: `not measured: ${there ?? here ?? ''}` };
  const failing = results.filter((each) => each.outcome === 'differs' && (isStrict || each.rule !== undefined));
  const body = failing.map((each) => `${idOf(each)} ${sentenceOf(each)}`);
  const [message] = body;
  return message === undefined ? { classname, name } : { classname, name, failure: { message, body } };
}

const COLUMNS = ['', 'Operation', 'Case', 'What', 'There', 'Here'];

function rowOf(each: DriftResult): string[] {
  const { operation, case: words, what, path, there = '', here = '' } = each;
  return [idOf(each), operation, words, path === undefined || path === what ? what : `${what} ${path}`, there, here];
}

/** Markdown for the summary of a CI run. */
export function printDriftMarkdown(report: DriftReport): string {
  return printMarkdown(`Drift: ${titleOf(report)}`, [
    `\`${report.against}\`: ${sumOf(report)}`,
    markdownText(report.error?.message ?? ''),
    markdownTable(COLUMNS, differing(report).map(rowOf)),
  ]);
}

function titleOf(report: DriftReport): string {
  const { length } = differing(report);
  return length === 0 ? 'no difference' : counted(length, 'difference');
}

/** The report as a page shows it. */
export function driftFile(report: DriftReport): ReportFile {
  const others = report.results.filter(({ outcome }) => outcome !== 'differs');
  const rows = others.map(({ operation, case: words, outcome, there = '' }) => [
    outcome.replace('_', ' '),
    operation,
    words,
    there,
  ]);
  return {
    report: {
      ...{ of: 'drift', command: report.against, error: report.error?.message },
      ...{ title: titleOf(report), sum: sumOf(report), groups: [] },
      parts: [
        ...byGroup(report).flatMap(({ title, results }) => tableParts(title, COLUMNS, results.map(rowOf))),
        ...tableParts('All other cases', ['Outcome', 'Operation', 'Case', 'There'], rows),
      ],
    },
  };
}
