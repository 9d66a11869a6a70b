import { constants } from 'node:os';
import { stripVTControlCharacters } from 'node:util';
import { type JunitCase, printJunitSuites } from '../../base/junit.ts';
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
  const ofWork = Object.fromEntries(work.map((each) => [`credits ${workName(each)}`, each.credits]));
  return printJunitSuites({
    of: 'exec',
    suites: [
      { name: 'run', cases: [commandCase(ended), runCase('spend is counted'), ...gates.map(gateCase)] },
      { name: 'spend', cases: accounts.map(accountCase), properties: { ...countsOf(report), ...ofWork } },
    ],
  });
}

function commandCase({ command, exitCode, printed }: EndedCommand): JunitCase {
  if (exitCode === 0) return runCase('the command succeeds');
  const line = command.join(' ').slice(0, LONGEST);
  const last = printed.slice(-LAST_LINES).map((each) => stripVTControlCharacters(each).slice(0, LONGEST));
  return runCase('the command succeeds', { message: `${line} ended with ${exitInWords(exitCode)}.`, body: last });
}

/** The signal that ended a command, by its exit code as a shell gives it. */
export function signalOf(exitCode: number): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0];
}

function exitInWords(exitCode: number): string {
  const signal = signalOf(exitCode);
  return signal === undefined ? `exit code ${exitCode}` : `exit code ${exitCode} (${signal})`;
}

function gateCase({ name, complaint }: JunitGate): JunitCase {
  return runCase(`--${name}`, complaint === undefined ? undefined : { message: complaint, body: [] });
}

/** A case of the suite `run`; a failure's body is the lines below its message. */
function runCase(name: string, failure?: JunitCase['failure']): JunitCase {
  return { classname: 'run', name, ...(failure && { failure }) };
}

function accountCase(spend: AccountSpend): JunitCase {
  return { classname: 'spend', name: spend.account, properties: countsOf(spend) };
}

function countsOf({ credits, charges, refunds }: SpendCounts) {
  return { credits, charges, refunds };
}
