import { xmlText } from '../report-card/xml-text.ts';
import type { AccountSpend, RunReport, SpendCounts, WorkSpend } from './run-report.ts';

/** The report for a reader: what the run cost, and what it left out. */
export function printRunReport(report: RunReport): string {
  if (report.requests === 0) return 'The run made no request to the service.';
  const { unstruck_faults: unstruck, untouched } = report;
  const rows = [
    ['operations', untouched.operations],
    ['error codes', untouched.error_codes],
    ['event types', untouched.event_types],
    ['job states', untouched.job_states],
  ] as const;
  return [
    `The run made ${count(report.requests, 'request')} and cost ${inWords(report)}.`,
    ...listed('Fault rules that never struck:', unstruck),
    ...listed(
      'Never touched:',
      rows.filter(([, names]) => names.length > 0).map(([what, names]) => `${what}: ${names.join(', ')}`),
    ),
  ].join('\n');
}

/** What a piece of work is called: the operation, and the model where there is one. */
export function workName({ operation, model }: Pick<WorkSpend, 'operation' | 'model'>): string {
  return model === null ? operation : `${operation} ${model}`;
}

/** The report as JUnit XML: spend as properties, of the run and of each account, which is a test by its name. */
export function printRunJunit(report: RunReport): string {
  const { by_account: accounts, by_work: work } = report;
  const total = [
    ...countProperties(report),
    ...work.map((each) => property(`credits ${workName(each)}`, each.credits)),
  ];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="svc-emulator exec" tests="${accounts.length}" failures="0">`,
    `  <testsuite name="spend" tests="${accounts.length}" failures="0">`,
    ...propertyList('    ', total),
    ...accounts.flatMap(testCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase(spend: AccountSpend): string[] {
  return [
    `    <testcase classname="spend" name="${xmlText(spend.account)}">`,
    ...propertyList('      ', countProperties(spend)),
    '    </testcase>',
  ];
}

function propertyList(indent: string, properties: readonly string[]): string[] {
  return [`${indent}<properties>`, ...properties.map((each) => `${indent}  ${each}`), `${indent}</properties>`];
}

function countProperties({ credits, charges, refunds }: SpendCounts): string[] {
  return Object.entries({ credits, charges, refunds }).map(([name, value]) => property(name, value));
}

function property(name: string, value: number): string {
  return `<property name="${xmlText(name)}" value="${value}"/>`;
}

function listed(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
}

function inWords({ credits, charges, refunds }: SpendCounts): string {
  return `${count(credits, 'credit')} (${count(charges, 'charge')}, ${count(refunds, 'refund')})`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
