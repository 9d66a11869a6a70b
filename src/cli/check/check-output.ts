import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { VirtualClock } from '../../base/clock/virtual-clock.ts';
import type { ConfigOptions } from '../../base/config/config.ts';
import { VERSION } from '../../base/package/package-folder.ts';
import { asOneLine, countWithNoun, formatFileAndLine } from '../../base/text.ts';
import { BASELINE_FILE, type CheckBaseline, makeUpdatedBaseline, readCheckBaseline } from '../../check/baseline.ts';
import type { CheckId } from '../../check/checks.ts';
import type { SuspectStatus } from '../../check/confirm.ts';
import type { FailureFinding } from '../../check/failure-finding.ts';
import { formatFaults } from '../../check/faults/fault-at.ts';
import type { SearchForecast } from '../../check/forecast.ts';
import {
  type CheckReportHeader,
  countScenarioKinds,
  describeTestsPassingWithoutService,
  INTERRUPTED_EXIT_CODES,
  isTooLittle,
  type JudgedReport,
  SETUP_ERROR_EXIT_CODES,
} from '../../check/make-report.ts';
import type { Scenario } from '../../check/plan.ts';
import { formatHtmlReport } from '../../check/print-html.ts';
import { formatJunitReport } from '../../check/print-junit.ts';
import { formatMarkdownReport } from '../../check/print-markdown.ts';
import { formatReplayResult, formatTextReport, type PrintableReport, reportLineColor } from '../../check/print-text.ts';
import type { CheckResults } from '../../check/results.ts';
import { TOO_LITTLE_TESTED_EXIT_CODE } from '../../check/runner/runner.ts';
import { CHECK_FOLDER, writeFileInCheckFolder } from '../../check/saved-findings.ts';
import type { CheckOptions, CheckSettings } from '../../check/settings.ts';
import { type CheckInvocation, formatCheckCommand } from '../../check/token.ts';
import { CHECK_REPORT_FILE } from '../../dashboard/mount-dashboard.ts';
import { CommandError, EXIT_CODES } from '../process-end.ts';
import { prettyJson, requireWritableOutput, writeOutputOrThrow } from '../report-files.ts';
import { type CommandProgress, printReport, printToStderr } from '../terminal-output.ts';
import type { AppFlags } from './check-environment.ts';
import { ReportMask } from './report-mask.ts';

export interface MergeFlags extends Pick<CheckOptions, 'require'> {
  baseline?: string;
  updateBaseline?: boolean;
  report?: string[];
}

export type CheckFlags = CheckOptions &
  MergeFlags &
  ConfigOptions &
  AppFlags & {
    trace?: string;
    prove?: string;
    base?: string;
    install?: string;
  };

export const PROOF_VARIABLE = 'SVC_PROOF';

/**
 * Throws `CannotRunError` for an invalid baseline, or for a missing one that `--baseline` names without `--update-baseline`.
 * Throws `CommandError` (2) if the file to update cannot be written.
 */
export function readBaselineFromFlags({
  baseline: file,
  updateBaseline = false,
}: MergeFlags): CheckBaseline | undefined {
  if (updateBaseline) requireWritableOutput('--baseline', file ?? BASELINE_FILE);
  return readCheckBaseline(file ?? BASELINE_FILE, file === undefined || updateBaseline);
}

export function makeReportHeader(command: string, seed: number): CheckReportHeader {
  return { version: VERSION, command, seed, commit: readCurrentCommit() };
}

export function today(): string {
  return new Date(new VirtualClock().real()).toISOString().slice(0, 10);
}

export function runGit(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

/** Null if Git fails, such as outside a repository, without a commit or if Git is not installed. */
export function readCurrentCommit(cwd = process.cwd()): CheckReportHeader['commit'] {
  try {
    return { id: runGit(cwd, 'rev-parse', 'HEAD'), clean: runGit(cwd, 'status', '--porcelain') === '' };
  } catch {
    return null;
  }
}

const SAYS_ALL = [...SETUP_ERROR_EXIT_CODES, TOO_LITTLE_TESTED_EXIT_CODE];

interface Conclusion {
  flags: MergeFlags;
  baseline: CheckBaseline | undefined;
  scenarios: number | undefined;
  replay: string | undefined;
  end: CommandError | undefined;
}

const PRINTERS: Readonly<Record<string, (printed: PrintableReport) => string>> = {
  '.json': ({ report }) => prettyJson(report),
  '.html': formatHtmlReport,
  '.xml': formatJunitReport,
  '.md': formatMarkdownReport,
};

export async function printAndWriteReport(
  judged: JudgedReport,
  { flags, baseline, scenarios, replay, end }: Conclusion,
): Promise<void> {
  const mask = new ReportMask();
  const printed: PrintableReport = {
    report: mask.of(judged.report),
    complaints: judged.complaints.map((line) => mask.text(line)),
    notes: [...interruptionNotes(end), ...judged.notes].map((line) => mask.text(line)),
    scenarios,
    file: flags.report?.[0] ?? (scenarios === undefined ? undefined : CHECK_REPORT_FILE),
  };
  const { report } = printed;
  // Prints no report if the error message says everything and no scenario was tried before the error.
  const isEmpty = SAYS_ALL.includes(end?.exitCode ?? 0) && report.measured.run === 0;
  if (!isEmpty)
    printReport(replay === undefined ? formatTextReport(printed) : formatReplayResult(printed), reportLineColor);
  for (const file of flags.report ?? []) {
    writeOutputOrThrow('--report', file, PRINTERS[path.extname(file)]?.(printed) ?? '', EXIT_CODES.wrongUse);
  }
  if (flags.updateBaseline && report.error === undefined) updateBaseline(judged, baseline, flags);
  if (!isEmpty && replay === undefined && scenarios !== undefined) {
    // Writes the page that an emulator started in this folder serves at /check.
    writeFileInCheckFolder(CHECK_FOLDER, path.basename(CHECK_REPORT_FILE), formatHtmlReport(printed));
  }
  endAs(judged, end);
}

function interruptionNotes(end: CommandError | undefined): string[] {
  const isInterrupted = end !== undefined && INTERRUPTED_EXIT_CODES.includes(end.exitCode);
  return isInterrupted ? ['The run was interrupted. The report contains the findings until then.'] : [];
}

function endAs({ report }: JudgedReport, end: CommandError | undefined): void {
  const { exitCode, message } = end ?? { exitCode: report.exit, message: report.error ?? '' };
  if (end || exitCode !== EXIT_CODES.success) throw new CommandError(exitCode, new ReportMask().text(message));
}

function updateBaseline(
  { report, isWhole }: JudgedReport,
  before: CheckBaseline | undefined,
  { baseline: file = BASELINE_FILE }: MergeFlags,
): void {
  writeOutputOrThrow('--baseline', file, prettyJson(makeUpdatedBaseline(new ReportMask().of(report), before, isWhole)));
  printToStderr(`svc-emulator: wrote ${file}: commit it.\n`);
}

/** Such as `63 scenarios, about 9 minutes; --budget 5m tries 36`. */
export function describeForecast(
  { scenarios, ms, fitting }: SearchForecast,
  budgetMs: number,
  deadTests: number,
): string {
  const left = deadTests === 0 ? '' : `${describeTestsPassingWithoutService(deadTests)}, which leaves `;
  const what = `${left}${countWithNoun(scenarios, 'scenario')}, about ${spanText(ms)}`;
  const tooFew = isTooLittle(fitting, scenarios)
    ? ` (less than half ends with exit code ${TOO_LITTLE_TESTED_EXIT_CODE})`
    : '';
  if (fitting < scenarios) return `${what}; --budget ${budgetText(budgetMs)} tries ${fitting}${tooFew}`;
  return `${what}; then pairs of faults${budgetMs === 0 ? '' : ` until --budget ${budgetText(budgetMs)} ends`}`;
}

function budgetText(ms: number): string {
  return ms % 60_000 === 0 ? `${ms / 60_000}m` : `${ms / 1000}s`;
}

function spanText(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  return seconds < 90 ? countWithNoun(seconds, 'second') : countWithNoun(Math.round(seconds / 60), 'minute');
}

const PAIRS_PER_LINE = 20;

interface Progress {
  results: CheckResults;
  settings: CheckSettings;
  elapsedMs: number;
}

export function showCheckProgress(progress: CommandProgress, { results, settings, elapsedMs }: Progress): void {
  const { planned, run } = countScenarioKinds(results, settings);
  const share = settings.budgetMs === 0 ? run / Math.max(1, planned) : 0;
  const pairs = results.tried.filter(({ scenario }) => scenario.faults.length > 1).length;
  const tried = `${run} of ${countWithNoun(planned, 'scenario')}${pairs === 0 ? '' : ` and ${countWithNoun(pairs, 'pair')} of faults`}`;
  const findings = countWithNoun(results.findings.length + results.baselineFindings.length, 'finding');
  // Without a budget, pairs of faults are tried for a long time after the plan is done. Every `PAIRS_PER_LINE` pairs begin a new
  // phase, which prints lines again.
  const phase = settings.budgetMs === 0 && pairs > 0 ? `${Math.floor(pairs / PAIRS_PER_LINE)} ` : '';
  progress.show(share, `${tried}, ${findings}`, { elapsedMs, phase });
}

const SUSPECT_NEWS: Readonly<Record<SuspectStatus, string>> = {
  failed: 'Tests failed, trying again to confirm',
  dismissed: 'Not confirmed',
  survived: 'Expects success',
  joined: 'Has the cause of a finding above',
};

export class FailurePrinter {
  readonly #again: CheckInvocation;

  constructor(again: CheckInvocation) {
    this.#again = again;
  }

  suspect(news: SuspectStatus, { faults }: Pick<Scenario, 'faults'>, check: CheckId): void {
    this.#print(`${SUSPECT_NEWS[news]}: ${check} under ${formatFaults(faults)}.\n`);
  }

  ofBaseline({ check, title, token, test }: FailureFinding['finding']): void {
    const where = test ? `, test "${asOneLine(test.name)}"${formatFileAndLine(test)}` : '';
    this.#print(`Found: ${check}: ${new ReportMask().text(title + where)}.\n${this.#replayLine(token)}`);
  }

  confirmed({ scenario, finding: { check, token } }: FailureFinding): void {
    this.#print(`Found: ${check} under ${formatFaults(scenario.faults)}.\n${this.#replayLine(token)}`);
  }

  #replayLine(token: string): string {
    return `  Replay: ${new ReportMask().text(formatCheckCommand(['--replay', token], this.#again))}\n`;
  }

  #print(text: string): void {
    printReport(text, reportLineColor, process.stderr);
  }
}
