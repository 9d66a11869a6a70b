import { counted } from '../log/log.ts';
import { xmlText } from '../report-card/xml-text.ts';
import type { ReportFile } from '../trace/report-file.ts';
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

function grouped(report: DriftReport) {
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
  const groups = grouped(report).flatMap(({ title, results }) => [
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
    ...grouped(report).map(
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
  const cases = new Map<string, DriftResult[]>();
  for (const each of report.results) {
    const name = `${each.operation} ${each.case}`;
    cases.set(name, [...(cases.get(name) ?? []), each]);
  }
  const tests = [...cases.values()].map((results) => testOf(results, isStrict));
  const failures = tests.filter(({ kind }) => kind === 'failure').length;
  const skipped = tests.filter(({ kind }) => kind === 'skipped').length;
  const errors = report.error ? 1 : 0;
  const counts = `tests="${tests.length + errors}" failures="${failures}" errors="${errors}" skipped="${skipped}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="svc-emulator drift" ${counts}>`,
    `  <testsuite name="${xmlText(report.against)}" ${counts} time="${report.measured.seconds}">`,
    ...tests.map(({ line }) => line),
    ...(report.error ? [errorCase(report.error)] : []),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function testOf(results: readonly DriftResult[], isStrict: boolean): { kind: string; line: string } {
  const [{ operation, case: words, there, here, outcome } = { operation: '', case: '' } as DriftResult] = results;
  const head = `    <testcase classname="${xmlText(operation)}" name="${xmlText(words)}"`;
  if (outcome === 'not_measured') {
    return {
      kind: 'skipped',
      line: `${head}><skipped message="not measured: ${xmlText(there ?? here ?? '')}"/></testcase>`,
    };
  }
  const failing = results.filter((each) => each.outcome === 'differs' && (isStrict || each.rule !== undefined));
  if (failing.length === 0) return { kind: 'passed', line: `${head}/>` };
  const lines = failing.map((each) => `${idOf(each)} ${sentenceOf(each)}`);
  const message = xmlText(lines[0] ?? '');
  return {
    kind: 'failure',
    line: `${head}><failure message="${message}">${lines.map(xmlText).join('\n')}</failure></testcase>`,
  };
}

function errorCase({ exit_code: code, message }: NonNullable<DriftReport['error']>): string {
  return `    <testcase classname="drift" name="ends well"><error type="exit ${code}" message="${xmlText(message)}"/></testcase>`;
}

const COLUMNS = ['', 'Operation', 'Case', 'What', 'There', 'Here'];

function rowOf(each: DriftResult): string[] {
  const { operation, case: words, what, path, there = '', here = '' } = each;
  return [idOf(each), operation, words, path === undefined || path === what ? what : `${what} ${path}`, there, here];
}

/** Markdown for the summary of a CI run. */
export function printDriftMarkdown(report: DriftReport): string {
  const rows = differing(report).map((each) => `| ${rowOf(each).map(cellOf).join(' | ')} |`);
  const table = [`| ${COLUMNS.join(' | ')} |`, `|${' --- |'.repeat(COLUMNS.length)}`, ...rows];
  return [
    `### Drift: ${titleOf(report)}`,
    '',
    `\`${report.against}\`: ${sumOf(report)}`,
    ...(report.error ? ['', cellOf(report.error.message)] : []),
    ...(rows.length === 0 ? [] : ['', ...table]),
    '',
  ].join('\n');
}

function titleOf(report: DriftReport): string {
  const { length } = differing(report);
  return length === 0 ? 'no difference' : counted(length, 'difference');
}

function cellOf(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

/** The report as a page shows it. */
export function driftFile(report: DriftReport): ReportFile {
  const parts = grouped(report).map(({ title, results }) => ({
    title,
    blocks: [{ kind: 'table' as const, heads: COLUMNS, rows: results.map(rowOf) }],
  }));
  const others = report.results.filter(({ outcome }) => outcome !== 'differs');
  const rows = others.map(({ operation, case: words, outcome, there = '' }) => [
    outcome.replace('_', ' '),
    operation,
    words,
    there,
  ]);
  const rest = { kind: 'table' as const, heads: ['Outcome', 'Operation', 'Case', 'There'], rows };
  return {
    report: {
      ...{ of: 'drift', command: report.against, error: report.error?.message },
      ...{ title: titleOf(report), sum: sumOf(report), groups: [] },
      parts: [...parts, ...(rows.length > 0 ? [{ title: 'All other cases', blocks: [rest] }] : [])],
    },
  };
}
