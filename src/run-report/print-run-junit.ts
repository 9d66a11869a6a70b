import { constants } from 'node:os';
import { stripVTControlCharacters } from 'node:util';
import { xmlText } from '../report-card/xml-text.ts';
import { workName } from './print-run-report.ts';
import type { AccountSpend, RunReport, SpendCounts } from './run-report.ts';

/** A gate as JUnit sees it: a test that may fail. */
interface JunitGate {
  name: string;
  complaint: string | undefined;
}

/** What became of the command of a run. */
export interface EndedCommand {
  command: readonly string[];
  /** As a shell gives it: 128 and the signal's number where a signal ended it. */
  exitCode: number;
  /** What it printed, oldest line first; empty where nothing was taken down. */
  printed: readonly string[];
}

interface JunitParts {
  report: RunReport;
  gates: readonly JunitGate[];
  ended: EndedCommand;
}

/** Lines of the output that a failed command is shown with, and the characters of one. */
const LAST_LINES = 30;
const LONGEST = 500;

/**
 * The report as JUnit XML: a test for the command, for the run and for each gate that it was held to, and spend as
 * properties, of the run and of each account, which is a test by its name.
 */
export function printRunJunit({ report, gates, ended }: JunitParts): string {
  const { by_account: accounts, by_work: work } = report;
  const total = [
    ...countProperties(report),
    ...work.map((each) => property(`credits ${workName(each)}`, each.credits)),
  ];
  const cases = [commandCase(ended), runCase('spend is counted'), ...gates.map(gateCase)];
  const failures = cases.filter(({ isFailed }) => isFailed).length;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="svc-emulator exec" tests="${cases.length + accounts.length}" failures="${failures}">`,
    `  <testsuite name="run" tests="${cases.length}" failures="${failures}">`,
    ...cases.flatMap(({ lines }) => lines),
    '  </testsuite>',
    `  <testsuite name="spend" tests="${accounts.length}" failures="0">`,
    ...propertyList('    ', total),
    ...accounts.flatMap(accountCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

interface RunCase {
  isFailed: boolean;
  lines: string[];
}

function commandCase({ command, exitCode, printed }: EndedCommand): RunCase {
  if (exitCode === 0) return runCase('the command succeeds');
  const line = command.join(' ').slice(0, LONGEST);
  const last = printed.slice(-LAST_LINES).map((each) => stripVTControlCharacters(each).slice(0, LONGEST));
  return runCase('the command succeeds', { message: `${line} ended with ${exitInWords(exitCode)}.`, body: last });
}

function exitInWords(exitCode: number): string {
  const [signal] = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128) ?? [];
  return signal === undefined ? `exit code ${exitCode}` : `exit code ${exitCode} (${signal})`;
}

function gateCase({ name, complaint }: JunitGate): RunCase {
  return runCase(`--${name}`, complaint === undefined ? undefined : { message: complaint, body: [] });
}

/** A case of the suite `run`; a failure's body is the lines below its message. */
function runCase(name: string, failure?: { message: string; body: readonly string[] }): RunCase {
  const head = `    <testcase classname="run" name="${xmlText(name)}"`;
  if (failure === undefined) return { isFailed: false, lines: [`${head}/>`] };
  const open = `      <failure message="${xmlText(failure.message)}"`;
  const body = failure.body.map(xmlText).join('\n');
  return {
    isFailed: true,
    lines: [`${head}>`, body === '' ? `${open}/>` : `${open}>${body}</failure>`, '    </testcase>'],
  };
}

function accountCase(spend: AccountSpend): string[] {
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
