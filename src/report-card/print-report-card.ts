import type { CheckResult, ReportCard, Verdict } from './report-card.ts';
import { xmlText } from './xml-text.ts';

const MARK: Record<Verdict, string> = { pass: 'ok  ', fail: 'FAIL', skipped: 'skip' };

/** The report for a reader: a line for each check, and beneath those that failed what to do. */
export function printReportCard(card: ReportCard): string {
  const { passed, failed, skipped, url } = card;
  const others = [failed && `${failed} failed`, skipped && `${skipped} not tried`].filter(Boolean);
  const total = [`${passed} of ${card.checks.length} checks passed`, ...others].join(', ');
  return [`${url}`, ...card.checks.flatMap(linesOf), total].join('\n');
}

function linesOf({ verdict, title, correct, got, mend, note }: CheckResult): string[] {
  const line = `${MARK[verdict]} ${title}`;
  if (verdict === 'skipped') return [`${line} (${got})`];
  if (verdict === 'pass') return [line];
  const details = [`a correct receiver answers ${correct}; this one: ${got}`, mend, note];
  return [line, ...details.flatMap((detail) => (detail ? [`       ${detail}`] : []))];
}

/** The report as JUnit XML, which CI systems read. */
export function printJunit(card: ReportCard): string {
  const { failed, skipped, duration_ms: spent, checks, url } = card;
  const counts = `tests="${checks.length}" failures="${failed}" skipped="${skipped}"`;
  const name = `webhook receiver ${xmlText(url)}`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="svc-emulator verify" ${counts} time="${seconds(spent)}">`,
    `  <testsuite name="${name}" ${counts} time="${seconds(spent)}">`,
    ...checks.map(testCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase({ name, title, verdict, correct, got, mend, duration_ms }: CheckResult): string {
  const head = `    <testcase classname="${xmlText(name)}" name="${xmlText(title)}" time="${seconds(duration_ms)}"`;
  if (verdict === 'pass') return `${head}/>`;
  if (verdict === 'skipped') return `${head}><skipped message="${xmlText(got)}"/></testcase>`;
  const message = `a correct receiver answers ${correct}; this one: ${got}`;
  return `${head}><failure message="${xmlText(message)}">${xmlText(mend ?? '')}</failure></testcase>`;
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}
