import { counted } from '../log/counted.ts';
import { xmlText } from '../report-card/xml-text.ts';
import type { AccountSpend, RunReport, SpendCounts, WorkSpend } from './run-report.ts';

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
      findings.map(({ finding, message }) => `${finding}: ${message}`),
    ),
    ...(unsettled === null ? [] : [`Not waited for, and so not in the sum: ${unsettled}`]),
  ].join('\n');
}

/** What a piece of work is called: the operation, and the model where there is one. */
export function workName({ operation, model }: Pick<WorkSpend, 'operation' | 'model'>): string {
  return model === null ? operation : `${operation} ${model}`;
}

/** A gate as JUnit sees it: a test that may fail. */
interface JunitGate {
  name: string;
  complaint: string | undefined;
}

/**
 * The report as JUnit XML: a test for the run and for each gate that it was held to, and spend as properties, of the run
 * and of each account, which is a test by its name.
 */
export function printRunJunit(report: RunReport, gates: readonly JunitGate[]): string {
  const { by_account: accounts, by_work: work } = report;
  const total = [
    ...countProperties(report),
    ...work.map((each) => property(`credits ${workName(each)}`, each.credits)),
  ];
  const failures = gates.filter(({ complaint }) => complaint !== undefined).length;
  const tests = gates.length + 1;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="svc-emulator exec" tests="${tests + accounts.length}" failures="${failures}">`,
    `  <testsuite name="run" tests="${tests}" failures="${failures}">`,
    '    <testcase classname="run" name="spend is counted"/>',
    ...gates.flatMap(gateCase),
    '  </testsuite>',
    `  <testsuite name="spend" tests="${accounts.length}" failures="0">`,
    ...propertyList('    ', total),
    ...accounts.flatMap(testCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function gateCase({ name, complaint }: JunitGate): string[] {
  const line = `    <testcase classname="run" name="--${xmlText(name)}"`;
  if (complaint === undefined) return [`${line}/>`];
  return [`${line}>`, `      <failure message="${xmlText(complaint)}"/>`, '    </testcase>'];
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
  return `${counted(credits, 'credit')} (${counted(charges, 'charge')}, ${counted(refunds, 'refund')})`;
}
