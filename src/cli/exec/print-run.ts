import { constants } from 'node:os';
import { stripVTControlCharacters } from 'node:util';
import { choiceOfFinding } from '../../base/package/choice-table.ts';
import { counted, inLine, markdownList, markdownTable, printMarkdown } from '../../base/text.ts';
import { type SpendCounts, workName } from '../../check/spend/spend-baseline.ts';
import { type JunitCase, printJunitSuites } from '../../client/runners/junit.ts';
import type { RunReport } from './run-report.ts';

export function printRunReport(report: RunReport): string {
  if (report.requests === 0) return 'The run made no request to the service.';
  const { requests, answered, astray: unrouted, unused_faults: unused, findings, unsettled } = report;
  return [
    `The run made ${counted(requests, 'request')} and cost ${inWords(report)}.`,
    ...(answered > 0 || unrouted === null
      ? []
      : [`${counted(requests - answered, 'request')} matched no endpoint; the response was: ${unrouted}`]),
    ...listed('Fault rules that were never applied:', unused),
    ...listed(
      'Verdict:',
      findings.map(({ finding, message }) => `${finding}: ${message}${choiceOfFinding(finding)}`),
    ),
    ...(unsettled === null ? [] : [`Not included, because still in progress: ${unsettled}`]),
  ].join('\n');
}

export function listed(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${inLine(line)}`)];
}

function inWords({ credits, charges, refunds }: RunReport): string {
  return `${counted(credits, 'credit')} (${counted(charges, 'charge')}, ${counted(refunds, 'refund')})`;
}

export interface SummaryParts {
  report: RunReport;
  complaints: readonly string[];
  trouble: readonly string[];
  asked: readonly string[];
  difference: readonly string[];
}

export function printRunSummary({ report, complaints, trouble, asked, difference }: SummaryParts): string {
  const { requests, credits, refunds, by_work: work } = report;
  const rows = work.map((each) => [workName(each), each.charges, each.refunds, each.credits]);
  return printMarkdown('svc-emulator', [
    `${counted(requests, 'request')}, **${counted(credits, 'credit')}**, ${counted(refunds, 'refund')}.`,
    ...block('Failed gates', complaints),
    ...block('What went wrong', trouble),
    ...block('Failures that the tests asked for', asked),
    ...block('Against the baseline', difference),
    markdownTable(['Work', 'Charges:', 'Refunds:', 'Credits:'], rows),
  ]);
}

/** Escapes the texts of users: no markup, link or mention. */
function block(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  return [`**${title}**`, markdownList(lines.map((line) => `\`${inLine(line).replace(/`/g, "'")}\``))];
}

export interface JunitGate {
  name: string;
  /** Undefined if the gate passed. */
  complaint: string | undefined;
}

export interface EndedCommand {
  command: readonly string[];
  /** As in a shell: 128 plus the number of the signal. */
  exitCode: number;
  printed: readonly string[];
}

const LAST_LINES = 30;
const LONGEST = 500;

/**
 * Has a test case for the command, the run and each gate. Properties contain the spending, which names each account
 * after its test.
 */
export function printRunJunit({
  report,
  gates,
  ended,
}: {
  report: RunReport;
  gates: readonly JunitGate[];
  ended: EndedCommand;
}): string {
  const test = (name: string, failure?: JunitCase['failure']) => ({
    classname: 'run',
    name,
    ...(failure && { failure }),
  });
  const ofGates = gates.map(({ name, complaint }) =>
    test(`--${name}`, complaint === undefined ? undefined : { message: complaint, body: [] }),
  );
  const accounts = report.by_account.map((each) => ({
    classname: 'spend',
    name: each.account,
    properties: countsOf(each),
  }));
  const ofWork = Object.fromEntries(report.by_work.map((each) => [`credits ${workName(each)}`, each.credits]));
  return printJunitSuites({
    of: 'exec',
    suites: [
      { name: 'run', cases: [test('the command succeeds', faultOf(ended)), test('spend is counted'), ...ofGates] },
      { name: 'spend', cases: accounts, properties: { ...countsOf(report), ...ofWork } },
    ],
  });
}

function countsOf({ credits, charges, refunds }: SpendCounts) {
  return { credits, charges, refunds };
}

function faultOf({ command, exitCode, printed }: EndedCommand): JunitCase['failure'] {
  if (exitCode === 0) return undefined;
  const line = command.join(' ').slice(0, LONGEST);
  const signal = signalOf(exitCode);
  const message = `${line} ended with exit code ${exitCode}${signal === undefined ? '' : ` (${signal})`}.`;
  return { message, body: printed.slice(-LAST_LINES).map((each) => stripVTControlCharacters(each).slice(0, LONGEST)) };
}

export function signalOf(exitCode: number): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0];
}
