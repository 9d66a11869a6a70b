import { stripVTControlCharacters } from 'node:util';
import { readBaselineFile } from '../../check/baseline.ts';
import { type SpendBaseline, spendBaselineSchema } from '../../check/spend.ts';
import { failedAssertionIn } from '../../client/runners/parse-failed-tests.ts';
import { ControlConnection } from '../../control/control-connection.ts';
import { maskText } from '../../control/mask/mask.ts';
import { unknownFindingCodeMessage } from '../../control/verdict/finding-names.ts';
import { waitForIdleOrDescribeError } from '../child-command.ts';
import { isTrueVariable } from '../config-flags.ts';
import { EXIT_CODES, usageError } from '../process-end.ts';
import {
  prettyJson,
  requireWritableOutput,
  requireWritableReports,
  writeOutputOrDescribeError,
} from '../report-files.ts';
import { printCiCommand, printReport, withProgress } from '../terminal-output.ts';
import { ciRunsOutputCommands } from '../workflow-commands.ts';
import {
  exitSignalLines,
  failedTestLine,
  formatGitHubAnnotations,
  formatRunJunit,
  formatRunMarkdown,
  formatRunText,
} from './print-run.ts';
import { FailureCollector, RunCounter } from './run-counter.ts';
import { collectFailures, NO_FAILURES } from './run-failures.ts';
import { gateComplaints, hasRunPassed, makeRunReport, type ReportFlags, type RunReport } from './run-report.ts';
import { summarizeRun } from './run-summary.ts';

export interface RunReporterFlags extends ReportFlags {
  report?: string[];
  summary?: string;
  traceMedia?: boolean;
  quiet?: boolean;
}

interface RanCommand {
  command: readonly string[];
  exitCode: number;
  printed: readonly string[];
}

const LAST_LINES = 30;
const MAX_LINE = 500;
const MAX_FAILED = 5;

export class RunReporter {
  readonly #trouble = new FailureCollector();
  readonly tally = new RunCounter(this.#trouble);
  readonly #flags: RunReporterFlags;
  readonly #env: NodeJS.ProcessEnv;
  readonly #earlier: SpendBaseline | undefined;
  #report: RunReport | undefined;
  #assertion: string | undefined;

  /**
   * Throws `CommandError` (2) for an unknown code of `--allow` or an unusable file, and `CannotRunError` for an invalid
   * baseline.
   */
  constructor(flags: RunReporterFlags, env: NodeJS.ProcessEnv) {
    const minRequests = (flags.minRequests ?? Number(isTrueVariable(env.CI))) || undefined;
    this.#flags = { ...flags, minRequests };
    this.#env = env;
    const complaint = unknownFindingCodeMessage(flags.allow ?? []);
    if (complaint !== undefined) throw usageError(complaint);
    requireWritableReports('exec', flags.report);
    if (flags.summary !== undefined) requireWritableOutput('--summary', flags.summary);
    if (flags.updateBaseline && flags.baseline !== undefined) {
      requireWritableOutput('--baseline', flags.baseline);
      this.#flags = { ...this.#flags, maxIncrease: undefined, requireBaseline: false };
    }
    this.#earlier = flags.baseline === undefined ? undefined : readBaselineFile(flags.baseline, spendBaselineSchema);
  }

  needsOutput(): boolean {
    const { report = [], summary } = this.#flags;
    return ciRunsOutputCommands() || isTrueVariable(this.#env.CI) || report.length > 0 || summary !== undefined;
  }

  /** Call this while the emulator exists. A signal ends the wait for open work. */
  async count(
    emulator: { localUrl: string; unusedFaults: readonly string[] },
    { ended, heard }: { ended: RanCommand; heard: AbortSignal },
  ): Promise<void> {
    const control = new ControlConnection(emulator.localUrl);
    const unsettled = await withProgress('waiting for renders', () => waitForIdleOrDescribeError(control, heard));
    const { findings, uncollected } = await control.call('judgeClient');
    const counts = summarizeRun(this.tally, { findings, uncollected, unsettled, unused_faults: emulator.unusedFaults });
    // Masks texts before they are cut, because half a secret is not recognized.
    const printed = maskText(ended.printed.join('\n')).split('\n');
    const hasFailed = ended.exitCode !== EXIT_CODES.success;
    const failures = hasFailed ? await collectFailures(control, printed, this.#trouble) : NO_FAILURES;
    const command = maskText(ended.command.join(' '));
    const end = { command, exit_code: ended.exitCode, output: hasFailed ? lastLines(printed) : [] };
    this.#assertion = failures.tests.length > 0 ? failedAssertionIn(printed) : undefined;
    this.#report = makeRunReport({ counts, ended: end, failures, earlier: this.#earlier }, this.#flags);
  }

  failure(): string | undefined {
    if (!this.#report) return undefined;
    const { exit_code: exitCode, failures } = this.#report;
    const tests = failures.tests.slice(0, MAX_FAILED).map(failedTestLine);
    const assertion = this.#assertion === undefined ? [] : [this.#assertion];
    return (
      [...exitSignalLines(exitCode), ...assertion, ...tests, ...gateComplaints(this.#report)].join('\n') || undefined
    );
  }

  print(): string | undefined {
    const report = this.#report;
    if (!report) return undefined;
    const { report: files = [], updateBaseline, baseline, summary, quiet } = this.#flags;
    const faults = files.map((file) =>
      writeOutputOrDescribeError('--report', file, file.endsWith('.xml') ? formatRunJunit(report) : prettyJson(report)),
    );
    if (isTrueVariable(this.#env.GITHUB_ACTIONS)) {
      for (const line of formatGitHubAnnotations(report, this.#env.GITHUB_WORKSPACE)) printCiCommand(line);
    }
    const page = summary ?? this.#env.GITHUB_STEP_SUMMARY;
    if (page) faults.push(writeOutputOrDescribeError('--summary', page, formatRunMarkdown(report), 'a'));
    const isKept = updateBaseline && hasRunPassed(report);
    if (isKept && baseline !== undefined) {
      faults.push(writeOutputOrDescribeError('--baseline', baseline, prettyJson({ ...report, baseline: null })));
    }
    if (!quiet) printReport(formatRunText(report), inkOf, process.stderr);
    return (
      [
        ...gateComplaints(report).map((complaint) => `gate failed: ${complaint}`),
        ...faults.filter((fault) => fault !== undefined),
      ].join('\n') || undefined
    );
  }
}

function inkOf(line: string): 'red' | undefined {
  return line.includes('FAILED ') ? 'red' : undefined;
}

function lastLines(printed: readonly string[]): string[] {
  return printed.slice(-LAST_LINES).map((line) => stripVTControlCharacters(line).slice(0, MAX_LINE));
}
