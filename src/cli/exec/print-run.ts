import { constants } from 'node:os';
import path from 'node:path';
import { choiceSuffixOfFinding } from '../../base/package/choice-table.ts';
import {
  asOneLine,
  countWithNoun,
  formatFileAndLine,
  markdownList,
  markdownSection,
  markdownTable,
} from '../../base/text.ts';
import { formatOperationAndModel, type SpendCounts } from '../../check/spend.ts';
import { formatJunitSuites, type JunitCase } from '../../client/runners/junit.ts';
import { MAX_SHOWN_TESTS, type ReportedFailedTest, relativePathWithin } from './run-failures.ts';
import { gateComplaints, type RunReport } from './run-report.ts';

export function formatRunText(report: RunReport): string {
  const lines = [...costLines(report), ...comparisonLines(report)];
  const asked = 'Failures that the tests asked for, by fault rules and directives:';
  const failed = [...listed('Failures of this run:', troubleOf(report)), ...listed(asked, report.failures.asked)];
  return `${[...lines, ...failed].join('\n')}\n`;
}

function costLines({ unused_faults: unused, ...report }: RunReport): string[] {
  const { requests, answered, astray, findings, uncollected, unsettled, credits, charges, refunds } = report;
  if (requests === 0) return ['The run made no request to the service.'];
  const cost = `${countWithNoun(credits, 'credit')} (${countWithNoun(charges, 'charge')}, ${countWithNoun(refunds, 'refund')})`;
  return [
    `The run made ${countWithNoun(requests, 'request')} and cost ${cost}.`,
    ...uncollectedLine(uncollected),
    ...(answered > 0 || astray === null
      ? []
      : [`${countWithNoun(requests - answered, 'request')} matched no endpoint; the response was: ${astray}`]),
    ...listed('Fault rules that were never applied:', unused),
    ...listed(
      'Verdict:',
      findings.map(({ finding, message }) => `${finding}: ${message}${choiceSuffixOfFinding(finding)}`),
    ),
    ...(unsettled === null ? [] : [`Not included, because still in progress: ${unsettled}`]),
  ];
}

function uncollectedLine({ jobs, credits }: RunReport['uncollected']): string[] {
  if (jobs === 0) return [];
  return [
    `${countWithNoun(jobs, 'paid job')} (${countWithNoun(credits, 'credit')}) succeeded and nobody collected ${jobs === 1 ? 'it' : 'them'}`,
  ];
}

function comparisonLines({ baseline }: RunReport): string[] {
  if (!baseline) return [];
  const { file, difference } = baseline;
  if (!difference) return [`There is no baseline ${file} yet; --update-baseline writes it.`];
  return difference.length === 0 ? ['Cost matches the baseline.'] : listed('Against the baseline:', difference);
}

function troubleOf({ exit_code: exitCode, failures, hint }: RunReport): string[] {
  const { tests, others, asked, left } = failures;
  const shown = tests.slice(0, MAX_SHOWN_TESTS);
  const lines = [...exitSignalLines(exitCode), ...shown.map(failedTestLine), ...others];
  if (lines.length + asked.length === 0) return [];
  const more = left + tests.length - shown.length;
  return [...lines, `${more > 0 ? `… and ${more} more; ` : ''}${hint}`];
}

export function failedTestLine({ name, file, line, error }: ReportedFailedTest): string {
  const place = formatFileAndLine({ file: file ?? undefined, line: line ?? undefined });
  return asOneLine(`FAILED ${name}${place}${error === null ? '' : `: ${error}`}`);
}

function listed(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${asOneLine(line)}`)];
}

/** Names the signal that ended the command, because its output may not mention it. */
export function exitSignalLines(exitCode: number): string[] {
  const signal = signalOf(exitCode);
  const why = signal === 'SIGKILL' ? ': often the machine ran out of memory, or a time limit was exceeded' : '';
  return signal === undefined ? [] : [`The command was ended by ${signal} (exit code ${exitCode})${why}.`];
}

function endLines(exitCode: number): string[] {
  if (exitCode === 0 || signalOf(exitCode) !== undefined) return exitSignalLines(exitCode);
  return [`The command failed with exit code ${exitCode}.`];
}

function signalOf(exitCode: number): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0];
}

export function formatRunMarkdown(report: RunReport): string {
  const { requests, credits, refunds, by_work: work, failures, baseline } = report;
  const rows = work.map((each) => [formatOperationAndModel(each), each.charges, each.refunds, each.credits]);
  return markdownSection('svc-emulator', [
    `${countWithNoun(requests, 'request')}, **${countWithNoun(credits, 'credit')}**, ${countWithNoun(refunds, 'refund')}.`,
    ...block('Failed gates', gateComplaints(report)),
    ...block('What went wrong', troubleOf(report)),
    ...block('Failures that the tests asked for', failures.asked),
    ...block('Against the baseline', baseline?.difference ?? []),
    markdownTable(['Work', 'Charges:', 'Refunds:', 'Credits:'], rows),
  ]);
}

function block(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  return [`**${title}**`, markdownList(lines.map((line) => `\`${asOneLine(line).replace(/`/g, "'")}\``))];
}

const MAX_COMMAND = 500;

export function formatRunJunit(report: RunReport): string {
  const test = (name: string, failure?: JunitCase['failure']) => ({
    classname: 'run',
    name,
    ...(failure && { failure }),
  });
  const gates = report.gates.map(({ name, complaint }) =>
    test(`--${name}`, complaint === null ? undefined : { message: complaint, body: [] }),
  );
  const accounts = report.by_account.map((each) => ({
    classname: 'spend',
    name: each.account,
    properties: spendIn(each),
  }));
  const tests = report.failures.tests.map(({ name, file, line, error }) => ({
    classname: file ?? 'tests',
    name,
    failure: {
      message: error ?? 'The test failed.',
      body: file === null ? [] : [`${file}${line === null ? '' : `:${line}`}`],
    },
  }));
  const work = Object.fromEntries(
    report.by_work.map((each) => [`credits ${formatOperationAndModel(each)}`, each.credits]),
  );
  return formatJunitSuites({
    of: 'exec',
    suites: [
      { name: 'run', cases: [test('the command succeeds', endOf(report)), test('spend is counted'), ...gates] },
      ...(tests.length > 0 ? [{ name: 'failed tests', cases: tests }] : []),
      { name: 'spend', cases: accounts, properties: { ...spendIn(report), ...work } },
    ],
  });
}

function spendIn({ credits, charges, refunds }: SpendCounts) {
  return { credits, charges, refunds };
}

function endOf({ command, exit_code: exitCode, output }: RunReport): JunitCase['failure'] {
  if (exitCode === 0) return undefined;
  const signal = signalOf(exitCode);
  const end = `exit code ${exitCode}${signal === undefined ? '' : ` (${signal})`}`;
  return { message: `${command.slice(0, MAX_COMMAND)} ended with ${end}.`, body: output };
}

/**
 * Paths of files in `workspace` are relative to it, because GitHub Actions expects paths from the folder of the
 * checkout. Other paths are absolute.
 */
export function formatGitHubAnnotations(report: RunReport, workspace = process.cwd()): string[] {
  const { tests, others } = report.failures;
  const command = (kind: 'error' | 'notice') => (line: string) => `::${kind} title=svc-emulator::${escaped(line)}`;
  const ofTests = tests.slice(0, MAX_SHOWN_TESTS).map(({ name, file, line, error }) => {
    const place =
      file === null ? [] : [`file=${property(fileFrom(workspace, file))}`, ...(line === null ? [] : [`line=${line}`])];
    return `::error ${[...place, `title=${property(name)}`].join(',')}::${escaped(error ?? 'The test failed.')}`;
  });
  const end = tests.length > 0 ? exitSignalLines(report.exit_code) : endLines(report.exit_code);
  return [
    ...end.map(command('error')),
    ...ofTests,
    ...gateComplaints(report).map(command('error')),
    ...[...others, ...troubleOf(report).slice(-1)].map(command('notice')),
  ];
}

function fileFrom(workspace: string, file: string): string {
  return relativePathWithin(workspace, file) ?? path.resolve(file);
}

function escaped(line: string): string {
  return line.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}

function property(value: string): string {
  return escaped(value).replace(/:/g, '%3A').replace(/,/g, '%2C');
}
