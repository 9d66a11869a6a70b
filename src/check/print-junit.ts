import { asOneLine } from '../base/text.ts';
import { formatJunitXml, type JunitCase } from '../client/runners/junit.ts';
import { evidenceLines, findingLines, findingsOfCheck, formatCheckTitle, type PrintableReport } from './print-text.ts';
import type { CheckReport, ReportedCheck } from './report.ts';

export function formatJunitReport({ report, complaints }: PrintableReport): string {
  const { command: suite, measured, exit, error } = report;
  const cases = report.checks.map((check) => caseOf(check, report));
  const gates = complaints.map((message, at) => ({
    classname: 'check',
    name: `requirement ${at + 1}`,
    failure: { message, body: [] },
  }));
  const ended = error === undefined ? undefined : { exit_code: exit, message: error };
  return formatJunitXml({ of: 'check', suite, seconds: measured.seconds, cases: [...cases, ...gates], error: ended });
}

function caseOf(check: ReportedCheck, { findings }: CheckReport): JunitCase {
  const { id, state, why, next } = check;
  const test = { classname: id, name: formatCheckTitle(check) };
  if (state === 'passed') return test;
  if (state !== 'failed') return { ...test, skipped: [why, next].filter(Boolean).join(': ') };
  const own = findingsOfCheck(check, findings);
  const [first] = own;
  const message = first ? [asOneLine(first.title), ...evidenceLines(first)].join(': ') : '';
  return { ...test, failure: { message, type: first?.kind ?? 'fault', body: own.flatMap(findingLines) } };
}
