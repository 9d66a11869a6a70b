import { constants } from 'node:os';
import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import { type JunitCase, printJunitSuites } from '../../base/junit.ts';
import { markdownList, markdownTable, printMarkdown } from '../../base/markdown.ts';
import { choiceOfFinding } from '../../base/package/choice-table.ts';
import { counted } from '../../base/text.ts';
import type { AccountSpend, RunReport, SpendCounts, WorkSpend } from './run-report.ts';

/** The report for a reader: what the run cost, what the client did wrong, and which rules proved nothing. */
export function printRunReport(report: RunReport): string {
  if (report.requests === 0) return 'The run made no request to the service.';
  const { requests, answered, astray: unrouted, unstruck_faults: unstruck, findings, unsettled } = report;
  return [
    `The run made ${counted(requests, 'request')} and cost ${inWords(report)}.`,
    ...(answered > 0 || unrouted === null
      ? []
      : [`${counted(requests - answered, 'request')} matched no endpoint; the response was: ${unrouted}`]),
    ...listed('Fault rules that were never used:', unstruck),
    ...listed(
      'Verdict:',
      findings.map(({ finding, message }) => `${finding}: ${message} (choice ${choiceOfFinding(finding)})`),
    ),
    ...(unsettled === null ? [] : [`Not in the sum, because still under way: ${unsettled}`]),
  ].join('\n');
}

/** What a piece of work is called: the operation, and the model where there is one. */
export function workName({ operation, model }: Pick<WorkSpend, 'operation' | 'model'>): string {
  return model === null ? operation : `${operation} ${model}`;
}

function listed(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
}

function inWords({ credits, charges, refunds }: SpendCounts): string {
  return `${counted(credits, 'credit')} (${counted(charges, 'charge')}, ${counted(refunds, 'refund')})`;
}

/** What a job summary shows beside the report itself. */
export interface SummaryParts {
  report: RunReport;
  complaints: readonly string[];
  trouble: readonly string[];
  /** What went wrong since the tests asked for it. */
  asked: readonly string[];
  /** Lines of the difference to the baseline. */
  difference: readonly string[];
}

/** A run as Markdown, for the page of its CI job. */
export function printRunSummary({ report, complaints, trouble, asked, difference }: SummaryParts): string {
  const { requests, credits, refunds, by_work: work } = report;
  const rows = work.map((each) => [workName(each), each.charges, each.refunds, each.credits]);
  return printMarkdown('svc-emulator', [
    `${counted(requests, 'request')}, **${counted(credits, 'credit')}**, ${counted(refunds, 'refund')}.`,
    ...block('Failed gates', complaints),
    ...block('What went wrong', trouble),
    ...block('Failures that its tests asked for', asked),
    ...block('Against the baseline', difference),
    markdownTable(['Work', 'Charges:', 'Refunds:', 'Credits:'], rows),
  ]);
}

/** What users wrote stays text: no markup, no link, no mention. */
function block(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  return [`**${title}**`, markdownList(lines.map((line) => `\`${line.replace(/`/g, "'")}\``))];
}

const counts = { charges: z.int(), refunds: z.int(), credits: z.int() };

/** Of a report that an earlier run wrote, what spend is compared by. */
export const spendBaseline = z.object({
  object: z.literal('run_report'),
  ...counts,
  by_work: z.array(z.object({ operation: z.string(), model: z.string().nullable(), ...counts })),
  by_account: z.array(z.object({ account: z.string(), ...counts })),
});

export type Baseline = z.output<typeof spendBaseline>;

/** "12% more", of a run that cost more than its baseline. */
export function increaseOver({ credits }: { credits: number }, baseline: Baseline): string {
  const more = credits - baseline.credits;
  return baseline.credits === 0 ? `${more} more` : `${Math.round((more / baseline.credits) * 1000) / 10}% more`;
}

/** How the spend of a run differs from the baseline's, a line each; none where it does not. */
export function spendDifference(report: RunReport, baseline: Baseline): string[] {
  const total = changed('in all', report.credits, baseline.credits);
  return [
    ...total,
    ...changes(
      new Map(report.by_work.map((each) => [workName(each), each.credits])),
      new Map(baseline.by_work.map((each) => [workName(each), each.credits])),
    ),
    ...changes(
      new Map(report.by_account.map(({ account, credits }) => [account, credits])),
      new Map(baseline.by_account.map(({ account, credits }) => [account, credits])),
    ),
  ];
}

function changes(now: Map<string, number>, before: Map<string, number>): string[] {
  const names = [...new Set([...now.keys(), ...before.keys()])].sort();
  return names.flatMap((name) => changed(name, now.get(name) ?? 0, before.get(name) ?? 0));
}

function changed(name: string, now: number, before: number): string[] {
  if (now === before) return [];
  const change = now - before;
  return [`${name}: ${before} -> ${now} credits (${change > 0 ? '+' : ''}${change})`];
}

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
