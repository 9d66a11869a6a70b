import { type JunitCase, printJunitXml } from '../../base/junit.ts';
import type { CheckResult, ReportCard, Verdict } from '../../control/receiver/report-card.ts';

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
export function printJunit({ checks, duration_ms: spent, url }: ReportCard): string {
  const cases = checks.map(testCase);
  return printJunitXml({ of: 'verify', suite: `webhook receiver ${url}`, seconds: seconds(spent), cases });
}

function testCase(check: CheckResult): JunitCase {
  const { name: classname, title: name, verdict, correct, got, mend = '', duration_ms: spent } = check;
  const test = { classname, name, seconds: seconds(spent) };
  if (verdict === 'pass') return test;
  if (verdict === 'skipped') return { ...test, skipped: got };
  const message = `a correct receiver answers ${correct}; this one: ${got}`;
  return { ...test, failure: { message, body: [mend] } };
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}
