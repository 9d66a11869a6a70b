import path from 'node:path';
import { choiceOfFinding } from '../../base/package/choice-table.ts';
import { counted, inLine, placeText } from '../../base/text.ts';
import { readBaseline } from '../../check/baseline.ts';
import { type Baseline, increaseOver, spendBaseline, spendDifference } from '../../check/spend/spend-baseline.ts';
import { failedAssertionIn, placedFailuresIn } from '../../client/runners/junit.ts';
import { ControlConnection } from '../../control/control-connection.ts';
import { maskedText } from '../../control/mask/mask.ts';
import { unknownCodeMessage } from '../../control/verdict/finding-names.ts';
import { settle } from '../child-command.ts';
import { isSet } from '../config-flags.ts';
import { EXIT, wrongUse } from '../process-end.ts';
import { asJson, requireOutput, requireWritable, writeOutput } from '../report-files.ts';
import { sayAside, sayCommand, withProgress } from '../terminal-output.ts';
import {
  type EndedCommand,
  type JunitGate,
  listed,
  printRunJunit,
  printRunReport,
  printRunSummary,
  signalOf,
} from './print-run.ts';
import type { RunReport } from './run-report.ts';
import { FailureSummary, RunTally } from './run-tally.ts';

interface GateFlags {
  minRequests?: number;
  maxCredits?: number;
  requireBaseline?: boolean;
  /** A share: 0.1 is 10 %. */
  maxIncrease?: number;
  failOnVerdict?: boolean;
  allow?: readonly string[];
  failOnUnusedFault?: boolean;
}

export interface AccountingFlags extends GateFlags {
  report?: string[];
  baseline?: string;
  updateBaseline?: boolean;
  summary?: string;
  trace?: string;
  traceOn?: 'failure' | 'always' | 'never';
  traceMedia?: boolean;
  keep?: string;
  quiet?: boolean;
}

/** Sums up a run while its emulator exists, and reports it afterwards. */
export class RunAccounting {
  readonly #trouble = new FailureSummary();
  readonly tally = new RunTally(this.#trouble);
  readonly #flags: AccountingFlags;
  readonly #env: NodeJS.ProcessEnv;
  readonly #baseline: Baseline | undefined;
  #run: { report: RunReport; ended: EndedCommand; failures: Failures } | undefined;

  /** Throws `CommandEnd` (2) for an unknown code, an invalid baseline, or a file in a missing folder. */
  constructor(flags: AccountingFlags, env: NodeJS.ProcessEnv) {
    const minRequests = (flags.minRequests ?? Number(isSet(env.CI))) || undefined;
    this.#flags = { ...flags, minRequests };
    this.#env = env;
    const complaint = unknownCodeMessage(flags.allow ?? []);
    if (complaint !== undefined) throw wrongUse(complaint);
    requireWritable('exec', flags.report);
    if (flags.summary !== undefined) requireOutput('--summary', flags.summary);
    if (flags.updateBaseline) {
      if (flags.baseline === undefined) throw wrongUse('--update-baseline needs --baseline FILE.');
      requireOutput('--baseline', flags.baseline);
      this.#flags = { ...this.#flags, maxIncrease: undefined, requireBaseline: false };
    }
    this.#baseline = flags.baseline === undefined ? undefined : readBaseline(flags.baseline, spendBaseline);
  }

  /**
   * Call this while the emulator exists. Waits for open work until a signal comes, and reads the verdict, and the
   * failures if the command failed.
   */
  async count(url: string, { ended, heard }: { ended: EndedCommand; heard: AbortSignal }): Promise<void> {
    const control = new ControlConnection(url);
    const unsettled = await withProgress('waiting for renders', () => settle(control, heard));
    const { findings } = await control.call('judgeClient');
    const { makeRunReport } = await import('./run-report.ts');
    const report = makeRunReport(this.tally, { findings, unsettled });
    const masked = maskedEnd(ended);
    const failures = ended.exitCode === EXIT.success ? NONE : await failuresOf(control, masked, this.#trouble);
    this.#run = { report, ended: masked, failures };
  }

  /** Undefined if the run passes. */
  failure(unusedFaults: readonly string[]): string | undefined {
    const { failures, complaints } = this.#judged(unusedFaults) ?? { failures: NONE, complaints: [] };
    const tests = failures.tests.slice(0, MOST_FAILED).map(lineOf);
    const assertion = failures.tests.length > 0 ? failedAssertionIn(this.#run?.ended.printed ?? []) : undefined;
    return [...failures.killed, ...(assertion ? [assertion] : []), ...tests, ...complaints].join('\n') || undefined;
  }

  #judged(unusedFaults: readonly string[]) {
    if (!this.#run) return undefined;
    const report = { ...this.#run.report, unused_faults: unusedFaults };
    const gates = judgeRun({ report, baseline: this.#baseline }, this.#flags);
    return { ...this.#run, report, gates, complaints: gates.flatMap(({ complaint }) => complaint ?? []) };
  }

  /** Call this after the emulator is closed. Returns the reason if a gate fails the run. */
  report(unusedFaults: readonly string[]): string | undefined {
    const run = this.#judged(unusedFaults);
    if (!run) return undefined;
    const { report, ended, complaints, failures } = run;
    const { report: files = [], updateBaseline, baseline: file, summary, quiet } = this.#flags;
    const difference = this.#baseline ? spendDifference(report, this.#baseline) : [];
    const trouble = this.#troubleOf(failures);
    const faults = files.map((each) =>
      writeOutput('--report', each, each.endsWith('.xml') ? printRunJunit(run) : asJson(report)),
    );
    if (isSet(this.#env.GITHUB_ACTIONS)) annotate(failures, complaints, trouble);
    const page = summary ?? this.#env.GITHUB_STEP_SUMMARY;
    if (page) {
      const text = printRunSummary({ report, complaints, trouble, asked: failures.asked, difference });
      faults.push(writeOutput('--summary', page, text, 'a'));
    }
    const isKept = updateBaseline && complaints.length === 0 && ended.exitCode === EXIT.success;
    if (isKept && file !== undefined) faults.push(writeOutput('--baseline', file, asJson(report)));
    if (!quiet) {
      const wrong = [...listed('Failures of this run:', trouble), ...listed(ASKED, failures.asked)];
      sayAside(`${[printRunReport(report), ...this.#compared(difference), ...wrong].join('\n')}\n`);
    }
    return [...complaints, ...faults.filter((fault) => fault !== undefined)].join('\n') || undefined;
  }

  #troubleOf({ killed, tests, others, asked, left }: Failures): string[] {
    const lines = [...killed, ...tests.map(lineOf), ...others];
    if (lines.length + asked.length === 0) return [];
    const { trace, traceOn, keep } = this.#flags;
    const places = [
      ...(trace === undefined || traceOn === 'never' ? [] : [`${trace} shows the whole run`]),
      ...(keep === undefined ? [] : [`to continue from this state, run svc-emulator start --data-dir ${keep}`]),
    ];
    const offer = '--trace FILE shows the whole run, --keep FOLDER keeps it for svc-emulator start --data-dir FOLDER';
    return [...lines, `${left > 0 ? `… and ${left} more; ` : ''}${places.join(', ') || offer}`];
  }

  #compared(difference: readonly string[]): string[] {
    const { baseline: file, updateBaseline } = this.#flags;
    if (file === undefined) return [];
    if (this.#baseline) {
      return difference.length === 0 ? ['Cost matches the baseline.'] : listed('Against the baseline:', difference);
    }
    return updateBaseline ? [] : [`There is no baseline ${file} yet; --update-baseline writes it.`];
  }
}

/** Masks before it cuts, because half a secret is not recognized. */
function maskedEnd({ command, printed, exitCode }: EndedCommand): EndedCommand {
  const lines = (all: readonly string[]) => maskedText(all.join('\n')).split('\n');
  return { exitCode, command: [maskedText(command.join(' '))], printed: lines(printed) };
}

const MOST_FAILED = 5;
const ASKED = 'Failures that the tests asked for, by fault rules and directives:';

function annotate(
  { killed, tests, others }: Failures,
  complaints: readonly string[],
  trouble: readonly string[],
): void {
  const error = (line: string) => `::error title=svc-emulator::${annotationText(line)}`;
  const ofTests = tests.map(({ name, file, line, error: said = 'The test failed.' }) => {
    const place = file === undefined ? [] : [`file=${property(file)}`, ...(line === undefined ? [] : [`line=${line}`])];
    return `::error ${[...place, `title=${property(name)}`].join(',')}::${annotationText(said)}`;
  });
  const notices = [...others, ...trouble.slice(-1)].map(
    (line) => `::notice title=svc-emulator::${annotationText(line)}`,
  );
  for (const line of [...killed.map(error), ...ofTests, ...complaints.map(error), ...notices]) sayCommand(line);
}

/** Escapes characters that would end an annotation or start another one. */
function annotationText(line: string): string {
  return line.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}

function property(value: string): string {
  return annotationText(value).replace(/:/g, '%3A').replace(/,/g, '%2C');
}

interface FailedTest {
  name: string;
  /** Relative to the folder of the run if it is inside, with `/`. */
  file?: string | undefined;
  line?: number | undefined;
  error?: string | undefined;
}

interface Failures {
  /** The output may not mention the signal. */
  killed: readonly string[];
  tests: readonly FailedTest[];
  others: readonly string[];
  asked: readonly string[];
  left: number;
}

const NONE: Failures = { killed: [], tests: [], others: [], asked: [], left: 0 };

const MOST_TESTS = 10;
const MOST_LINES = 18;
const LONGEST = 300;

async function failuresOf(
  control: ControlConnection,
  { exitCode, printed }: EndedCommand,
  trouble: FailureSummary,
): Promise<Failures> {
  const failed = await failedTests(control, printed);
  const tests = failed.slice(0, MOST_TESTS);
  const { lines: others, asked, left } = trouble.summary(MOST_LINES - tests.length);
  const signal = signalOf(exitCode);
  const why = signal === 'SIGKILL' ? ': often the machine ran out of memory, or a time limit was exceeded' : '';
  const killed = signal === undefined ? [] : [`The command was ended by ${signal} (exit code ${exitCode})${why}.`];
  return { killed, tests, others, asked, left: left + failed.length - tests.length };
}

/** Tests that the fixtures reported, or else those that the output names. */
async function failedTests(control: ControlConnection, printed: readonly string[]): Promise<FailedTest[]> {
  const { data: tests } = await control.call('listTests');
  const failed = tests.reverse().filter(({ outcome }) => outcome === 'failed');
  if (failed.length === 0) return placedFailuresIn(printed);
  return failed.map(({ name, file, line, error }) => ({
    name: maskedText(name),
    file: file === null ? undefined : shortened(file),
    line: line ?? undefined,
    error: error === null ? undefined : inOneLine(maskedText(error)),
  }));
}

/** Includes the lines that follow a colon: rows of the ledger, or the values that differ. */
function inOneLine(error: string): string | undefined {
  const [first, ...rest] = error
    .split('\n')
    .map((each) => each.trim())
    .filter(Boolean);
  const announced = first?.endsWith(':') && rest.length > 0 ? `${first} ${rest.join('; ')}` : first;
  return announced?.slice(0, LONGEST);
}

function lineOf({ name, file, line, error }: FailedTest): string {
  return inLine(`FAILED ${name}${placeText({ file, line })}${error === undefined ? '' : `: ${error}`}`);
}

function shortened(file: string): string {
  const below = path.relative(process.cwd(), file);
  return below.startsWith('..') || path.isAbsolute(below) ? file : below.split(path.sep).join('/');
}

interface EndedRun {
  report: RunReport;
  baseline: Baseline | undefined;
}

type Complaint = (run: EndedRun, flags: AccountingFlags) => string | undefined;

const GATES: Readonly<Partial<Record<keyof GateFlags, Complaint>>> = {
  minRequests({ report }, { minRequests = 0 }) {
    if (report.answered >= minRequests) return undefined;
    return `The run made ${counted(report.answered, 'request')} to the service; expected at least ${minRequests}. ${unroutedText(report)}Make the application read its base URL from OPENAI_BASE_URL, which ends in /v1, or from SVC_BASE_URL, whose paths begin with /v1; --min-requests 0 allows it.`;
  },
  maxCredits({ report: { credits } }, { maxCredits = Number.POSITIVE_INFINITY }) {
    if (credits <= maxCredits) return undefined;
    return `The run cost ${counted(credits, 'credit')}; expected at most ${maxCredits} (--max-credits).`;
  },
  requireBaseline({ baseline }) {
    if (baseline) return undefined;
    return 'There is no baseline to compare with; write one with --report and commit it, or leave --require-baseline out.';
  },
  maxIncrease({ report, baseline }, { maxIncrease = 0 }) {
    if (!baseline || report.credits <= baseline.credits * (1 + maxIncrease)) return undefined;
    const allowed = `${Math.round(maxIncrease * 1000) / 10}%`;
    return `The run cost ${counted(report.credits, 'credit')}, ${increaseOver(report, baseline)} than the baseline's ${baseline.credits}; expected at most ${allowed} more (--max-increase).`;
  },
  failOnVerdict({ report }, { allow = [] }) {
    const [first, ...others] = report.findings.filter(({ finding }) => !allow.includes(finding));
    if (!first) return undefined;
    const more = others.length > 0 ? ` and ${others.length} more` : '';
    return `The verdict has ${counted(others.length + 1, 'finding')} (--fail-on-verdict): ${first.finding}: ${first.message}${choiceOfFinding(first.finding)} ${first.remedy}${more}`;
  },
  failOnUnusedFault({ report: { unused_faults: unused } }) {
    if (unused.length === 0) return undefined;
    return `${counted(unused.length, 'fault rule')} never applied (--fail-on-unused-fault), such as ${unused[0]}. Change its match so that it fits the requests of the test.`;
  },
};

/** Usually a base URL that has /v1 twice or not at all. */
function unroutedText({ answered, requests, astray }: RunReport): string {
  const others = requests - answered;
  return others === 0 ? '' : `${counted(others, 'request')} matched no endpoint; the response was: ${astray} `;
}

function judgeRun(run: EndedRun, flags: AccountingFlags): JunitGate[] {
  return Object.entries(GATES).flatMap(([key, complaint]) => {
    const value = flags[key as keyof GateFlags];
    if (value === undefined || value === false) return [];
    const name = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const text = complaint(run, flags);
    return [{ name, complaint: text === undefined ? undefined : inLine(text) }];
  });
}
