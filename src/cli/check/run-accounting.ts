import path from 'node:path';
import { failedTestsIn } from '../../base/output/reported-tests.ts';
import { choiceOfFinding } from '../../base/package/choice-table.ts';
import { counted, placeText } from '../../base/text.ts';
import { readBaseline } from '../../check/read-baseline.ts';
import {
  type Baseline,
  type EndedCommand,
  increaseOver,
  printRunJunit,
  printRunReport,
  printRunSummary,
  signalOf,
  spendBaseline,
  spendDifference,
} from '../../check/spend/print-run.ts';
import type { RunReport } from '../../check/spend/run-report.ts';
import { type FailureSummary, RunTally } from '../../check/spend/run-tally.ts';
import { ControlConnection } from '../../control/control-connection.ts';
import { codesComplaint } from '../../control/verdict/finding-names.ts';
import { settle } from '../child-command.ts';
import { isSet } from '../config-flags.ts';
import type { Accounting, AccountingFlags, GateFlags } from '../exec-command.ts';
import { CommandEnd, EXIT } from '../process-end.ts';
import { asJson, requireOutput, requireWritable, writeOutput } from '../report-files.ts';
import { sayAside, withProgress } from '../terminal-output.ts';

/** Counts what one run of `exec` costs, holds it to its gates, and reports it at the end. */
export class RunAccounting implements Accounting {
  readonly tally = new RunTally();
  readonly #flags: AccountingFlags & GateFlags;
  readonly #env: NodeJS.ProcessEnv;
  readonly #baseline: Baseline | undefined;
  #run: { report: RunReport; ended: EndedCommand } | undefined;
  #trouble: string[] = [];
  #asked: string[] = [];
  #failed: string[] = [];
  #annotations: string[] = [];

  /** Throws `CommandEnd` (2) for a code that the verdict does not know, a baseline that is no report, and for a file that has no folder to go to. */
  constructor(flags: AccountingFlags, env: NodeJS.ProcessEnv) {
    this.#flags = { ...flags, minRequests: flags.minRequests ?? (isSet(env.CI) ? 1 : 0) };
    this.#env = env;
    const complaint = codesComplaint(flags.allow ?? []);
    if (complaint !== undefined) throw new CommandEnd(EXIT.wrongUse, complaint);
    requireWritable('exec', flags.report);
    if (flags.summary !== undefined) requireOutput('--summary', flags.summary);
    if (flags.updateBaseline) {
      if (flags.baseline === undefined) throw new CommandEnd(EXIT.wrongUse, '--update-baseline needs --baseline FILE.');
      requireOutput('--baseline', flags.baseline);
      this.#flags = { ...this.#flags, maxIncrease: undefined, requireBaseline: false };
    }
    this.#baseline = flags.baseline === undefined ? undefined : readBaseline(flags.baseline, spendBaseline);
  }

  /**
   * Sums the run up while its emulator is still there: waits for work under way, which a signal ends, and reads the
   * verdict; of a command that failed also what went wrong in it.
   */
  async count(url: string, { ended, heard }: { ended: EndedCommand; heard: AbortSignal }): Promise<void> {
    const control = new ControlConnection(url);
    const unsettled = await withProgress('waiting for renders', () => settle(control, heard));
    const { findings } = await control.call('judgeClient');
    const { makeRunReport } = await import('../../check/spend/run-report.ts');
    this.#run = { report: makeRunReport(this.tally, { findings, unsettled }), ended };
    if (ended.exitCode === EXIT.success) return;
    const tests = await failedTests(control, ended.printed);
    const { lines, asked, left } = failuresOf(tests, this.tally.trouble);
    const killed = signalLines(ended.exitCode);
    const first = [...killed, ...lines];
    this.#annotations = [...killed.map(errorAnnotation), ...testAnnotations(tests)];
    this.#asked = asked;
    this.#failed = lines.slice(0, Math.min(tests.length, MOST_FAILED));
    this.#trouble = first.length + asked.length === 0 ? [] : [...first, this.#placesLine(left)];
  }

  /** Why the run fails: the signal that ended it, its failed tests, and the gates that it does not pass. */
  failure(unusedFaults: readonly string[]): string | undefined {
    const complaints = this.#judged(unusedFaults).flatMap(({ complaint }) => complaint ?? []);
    const lines = [...this.#trouble.filter((line) => line.startsWith(ENDED_BY)), ...this.#failed, ...complaints];
    return lines.length === 0 ? undefined : lines.join('\n');
  }

  #judged(unusedFaults: readonly string[]): GateResult[] {
    if (!this.#run) return [];
    const report = { ...this.#run.report, unstruck_faults: unusedFaults };
    return judgeRun({ report, baseline: this.#baseline }, this.#flags);
  }

  /** Writes and prints, once the emulator is gone; answers what is to be said of a run that its gates stop. */
  report(unusedFaults: readonly string[]): string | undefined {
    if (!this.#run) return undefined;
    const { ended } = this.#run;
    const report = { ...this.#run.report, unstruck_faults: unusedFaults };
    const gates = this.#judged(unusedFaults);
    const complaints = gates.flatMap(({ complaint }) => complaint ?? []);
    const written = (this.#flags.report ?? []).map((file) => {
      const text = file.endsWith('.xml') ? printRunJunit({ report, gates, ended }) : asJson(report);
      return writeOutput('--report', file, text);
    });
    const faults = [...written, this.#summarise(report, complaints), this.#keepBaseline(report, complaints)];
    if (!this.#flags.quiet) this.#print(report);
    const said = [...complaints, ...faults.filter((fault) => fault !== undefined)];
    return said.length === 0 ? undefined : said.join('\n');
  }

  /** Answers why it could not be written. */
  #keepBaseline(report: RunReport, complaints: readonly string[]): string | undefined {
    const { updateBaseline, baseline: file } = this.#flags;
    if (!updateBaseline || file === undefined || complaints.length > 0) return undefined;
    if (this.#run?.ended.exitCode !== EXIT.success) return undefined;
    return writeOutput('--baseline', file, asJson(report));
  }

  #print(report: RunReport): void {
    const lines = [printRunReport(report), ...this.#compared(report)];
    if (this.#trouble.length > 0) lines.push('What went wrong in it:', ...this.#trouble.map((line) => `  ${line}`));
    if (this.#asked.length > 0) lines.push(ASKED, ...this.#asked.map((line) => `  ${line}`));
    sayAside(`${lines.join('\n')}\n`);
  }

  /** Where the rest of what went wrong is to be seen. */
  #placesLine(left: number): string {
    const { trace, traceOn, keep } = this.#flags;
    const rest = left > 0 ? `… and ${left} more; ` : '';
    const places = [
      ...(trace === undefined || traceOn === 'never' ? [] : [`${trace} shows the whole run`]),
      ...(keep === undefined ? [] : [`svc-emulator start --data-dir ${keep} goes on from it`]),
    ];
    const offer = '--trace FILE shows the whole run, --keep FOLDER keeps it for svc-emulator start --data-dir FOLDER';
    return `${rest}${places.join(', ') || offer}`;
  }

  #compared(report: RunReport): string[] {
    const { baseline: file } = this.#flags;
    if (file === undefined) return [];
    if (!this.#baseline) return this.#flags.updateBaseline ? [] : [noBaseline(file)];
    const difference = spendDifference(report, this.#baseline);
    if (difference.length === 0) return ['Cost matches the baseline.'];
    return ['Against the baseline:', ...difference.map((line) => `  ${line}`)];
  }

  /** On the page of the CI job, and as annotations where the job's output makes such. Answers why it could not be written. */
  #summarise(report: RunReport, complaints: readonly string[]): string | undefined {
    const file = this.#flags.summary ?? this.#env.GITHUB_STEP_SUMMARY;
    const difference = this.#baseline ? spendDifference(report, this.#baseline) : [];
    if (isSet(this.#env.GITHUB_ACTIONS)) this.#annotate(complaints);
    if (!file) return undefined;
    const text = printRunSummary({ report, complaints, trouble: this.#trouble, asked: this.#asked, difference });
    return writeOutput('--summary', file, text, 'a');
  }

  #annotate(complaints: readonly string[]): void {
    const notices = this.#trouble.filter((line) => !line.startsWith('FAILED ') && !line.startsWith(ENDED_BY));
    const lines = [
      ...this.#annotations,
      ...complaints.map(errorAnnotation),
      ...notices.map((line) => `::notice title=svc-emulator::${annotationText(line)}`),
    ];
    for (const line of lines) sayAside(`${line}\n`);
  }
}

/** So many failed tests are named above the trace of their run. */
const MOST_FAILED = 5;
const ASKED = 'Failures that its tests asked for, by fault rules, directives and lies:';
const ENDED_BY = 'The command was ended by ';

/** A command that a signal ended may have printed nothing of it. */
function signalLines(exitCode: number): string[] {
  const signal = signalOf(exitCode);
  if (signal === undefined) return [];
  const why = signal === 'SIGKILL' ? ': often the machine had no memory left, or a time limit was over' : '';
  return [`${ENDED_BY}${signal} (exit code ${exitCode})${why}.`];
}

function errorAnnotation(line: string): string {
  return `::error title=svc-emulator::${annotationText(line)}`;
}

function noBaseline(file: string): string {
  return `There is no baseline ${file} yet; --update-baseline writes it.`;
}

/** A test of the command that failed, with what is known of it. */
interface FailedTest {
  name: string;
  /** Below the folder of the run where it is there, with `/`. */
  file: string | undefined;
  line: number | undefined;
  /** The first line of its error. */
  error: string | undefined;
}

/** So many tests are named, and so many lines are printed in all beside their heading and the one that says where the rest is. */
const MOST_TESTS = 10;
const MOST_LINES = 18;
const LONGEST = 300;

/** The tests that failed: those that the fixtures have reported, else those that the command's output names. */
async function failedTests(control: ControlConnection, printed: readonly string[]): Promise<FailedTest[]> {
  const { data: units } = await control.call('listUnits');
  const failed = units.reverse().filter(({ outcome }) => outcome === 'failed');
  if (failed.length === 0) return failedTestsIn(printed).map((name) => ({ ...UNKNOWN, name }));
  return failed.map(({ name, file, line, error }) => ({
    name,
    file: file === null ? undefined : shortened(file),
    line: line ?? undefined,
    error: error === null ? undefined : inOneLine(error),
  }));
}

/** The first line of an error, with those that it announces by a colon: the rows of the ledger, or the values that differ. */
function inOneLine(error: string): string | undefined {
  const [first, ...rest] = error
    .split('\n')
    .map((each) => each.trim())
    .filter(Boolean);
  const announced = first?.endsWith(':') && rest.length > 0 ? `${first} ${rest.join('; ')}` : first;
  return announced?.slice(0, LONGEST);
}

const UNKNOWN = { file: undefined, line: undefined, error: undefined };

/** What went wrong in a run. */
interface Failures {
  /** Failed tests first, then what the tests did not ask for. */
  lines: string[];
  /** What a fault rule, a directive or a lie of the tests brought about. */
  asked: string[];
  /** So many more things are in neither. */
  left: number;
}

function failuresOf(tests: readonly FailedTest[], trouble: FailureSummary): Failures {
  const named = tests.slice(0, MOST_TESTS).map(lineOf);
  const { lines, asked, left } = trouble.summary(MOST_LINES - named.length);
  return { lines: [...named, ...lines], asked, left: left + tests.length - named.length };
}

/** Failed tests as annotations of a GitHub job, which shows them beside their lines. */
function testAnnotations(tests: readonly FailedTest[]): string[] {
  return tests.slice(0, MOST_TESTS).map(({ name, file, line, error = 'The test failed.' }) => {
    const place = file === undefined ? [] : [`file=${property(file)}`, ...(line === undefined ? [] : [`line=${line}`])];
    return `::error ${[...place, `title=${property(name)}`].join(',')}::${annotationText(error)}`;
  });
}

/** Without what would end an annotation, or begin another one. */
function annotationText(line: string): string {
  return line.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}

function property(value: string): string {
  return annotationText(value).replace(/:/g, '%3A').replace(/,/g, '%2C');
}

function lineOf({ name, file, line, error }: FailedTest): string {
  return `FAILED ${name}${placeText({ file, line })}${error === undefined ? '' : `: ${error}`}`;
}

function shortened(file: string): string {
  const below = path.relative(process.cwd(), file);
  return below.startsWith('..') || path.isAbsolute(below) ? file : below.split(path.sep).join('/');
}

/** What gates look at: a run that has ended. */
interface EndedRun {
  report: RunReport;
  /** Undefined where none was named, or there is none yet. */
  baseline: Baseline | undefined;
}

/** Whether a run has passed a gate that it was held to. */
interface GateResult {
  /** The flag without its dashes. */
  name: string;
  /** Fact, expectation and remedy; undefined where the gate is passed. */
  complaint: string | undefined;
}

interface Gate {
  name: string;
  isSet(flags: GateFlags): boolean;
  complaint(run: EndedRun, flags: GateFlags): string | undefined;
}

const GATES: readonly Gate[] = [
  {
    name: 'min-requests',
    isSet: ({ minRequests }) => minRequests > 0,
    complaint({ report }, { minRequests }) {
      if (report.answered >= minRequests) return undefined;
      return `The run made ${counted(report.answered, 'request')} to the service; expected at least ${minRequests}. ${unroutedText(report)}Have the application read its base URL from OPENAI_BASE_URL, which ends in /v1, or from SVC_BASE_URL, whose paths begin with /v1; --min-requests 0 allows it.`;
    },
  },
  {
    name: 'max-credits',
    isSet: ({ maxCredits }) => maxCredits !== undefined,
    complaint({ report: { credits } }, { maxCredits = Number.POSITIVE_INFINITY }) {
      if (credits <= maxCredits) return undefined;
      return `The run cost ${counted(credits, 'credit')}; expected at most ${maxCredits} (--max-credits).`;
    },
  },
  {
    name: 'require-baseline',
    isSet: ({ requireBaseline }) => requireBaseline === true,
    complaint({ baseline }) {
      return baseline
        ? undefined
        : 'There is no baseline to compare with; write one with --report and commit it, or leave --require-baseline out.';
    },
  },
  {
    name: 'max-increase',
    isSet: ({ maxIncrease }) => maxIncrease !== undefined,
    complaint({ report, baseline }, { maxIncrease = 0 }) {
      if (!baseline || report.credits <= baseline.credits * (1 + maxIncrease)) return undefined;
      const allowed = `${Math.round(maxIncrease * 1000) / 10}%`;
      return `The run cost ${counted(report.credits, 'credit')}, ${increaseOver(report, baseline)} than the baseline's ${baseline.credits}; expected at most ${allowed} more (--max-increase).`;
    },
  },
  {
    name: 'fail-on-verdict',
    isSet: ({ failOnVerdict }) => failOnVerdict === true,
    complaint({ report }, { allow = [] }) {
      const findings = report.findings.filter(({ finding }) => !allow.includes(finding));
      const [first] = findings;
      if (!first) return undefined;
      const more = findings.length > 1 ? ` and ${findings.length - 1} more` : '';
      return `The verdict has ${counted(findings.length, 'finding')} (--fail-on-verdict): ${first.finding}: ${first.message} (choice ${choiceOfFinding(first.finding)}) ${first.remedy}${more}`;
    },
  },
  {
    name: 'fail-on-unstruck',
    isSet: ({ failOnUnstruck }) => failOnUnstruck === true,
    complaint({ report: { unstruck_faults: unstruck } }) {
      const [first] = unstruck;
      if (!first) return undefined;
      return `${counted(unstruck.length, 'fault rule')} never used (--fail-on-unstruck), such as ${first}. Make its match fit what the test sends.`;
    },
  },
];

/** What came that was for no operation: mostly a base URL with /v1 twice, or not at all. */
function unroutedText({ answered, requests, astray: unrouted }: RunReport): string {
  const others = requests - answered;
  return others === 0 ? '' : `${counted(others, 'request')} matched no endpoint; the response was: ${unrouted} `;
}

/** Every gate that a run was held to, in the order of the list. */
function judgeRun(run: EndedRun, flags: GateFlags): GateResult[] {
  return GATES.filter((gate) => gate.isSet(flags)).map((gate) => ({
    name: gate.name,
    complaint: gate.complaint(run, flags),
  }));
}
