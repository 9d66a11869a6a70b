import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { forwardAbort } from '../../base/clock/clock.ts';
import { VirtualClock } from '../../base/clock/virtual-clock.ts';
import type { ConfigOptions } from '../../base/config/config.ts';
import { quoted } from '../../base/errors.ts';
import { VERSION } from '../../base/package/package-folder.ts';
import { didYouMeanText } from '../../base/text.ts';
import { type CheckInput, check } from '../../check/check.ts';
import { makeReport } from '../../check/make-report.ts';
import { mergeReports } from '../../check/merge.ts';
import { type Finding, parseCheckReport } from '../../check/report.ts';
import { CheckResults } from '../../check/results.ts';
import type { RunTraceResult } from '../../check/runner/runner.ts';
import { CHECK_FOLDER, requireSafeCheckFolder, SavedFindingTokens } from '../../check/saved-findings.ts';
import { type CheckSettings, parseCheckSettings } from '../../check/settings.ts';
import type { CheckInvocation } from '../../check/token.ts';
import { runWithCleanup } from '../child-command.ts';
import { requireCompanionOptions } from '../config-flags.ts';
import { usageError } from '../process-end.ts';
import { readReports, requireWritableOutput, requireWritableReports } from '../report-files.ts';
import { CommandProgress, printToStderr } from '../terminal-output.ts';
import {
  type AppFlags,
  hasFixedAppPort,
  listGivenFlags,
  makeCheckInvocation,
  openCommandRunner,
  requireNoOuterCheck,
  warnUser,
  writeFindingTrace,
} from './check-environment.ts';
import {
  type CheckFlags,
  describeForecast,
  FailurePrinter,
  type MergeFlags,
  makeReportHeader,
  PROOF_VARIABLE,
  printAndWriteReport,
  readBaselineFromFlags,
  showCheckProgress,
  today,
} from './check-output.ts';
import { ReportMask } from './report-mask.ts';
import { cleanUpKilledRuns } from './work-trees.ts';

const NOT_PROVEN = [
  ...['replay', 'report', 'controlToken', 'require', 'updateBaseline', 'trace', 'prove', 'base', 'install'],
  ...['only', 'skip', 'shard', 'jobs'],
];
const NOT_AGAIN = [...NOT_PROVEN, 'budget'];
const LOOK_MS = 500;
const GRACE = 1.02;

export async function runCheck(flags: CheckFlags, command: Command): Promise<void> {
  requireNoOuterCheck();
  const words = wordsOf(command);
  requireUsable(flags, command);
  if (flags.prove !== undefined) {
    const { proveFix } = await import('./check-prove.ts');
    return proveFix(flags.prove, flags, [...listGivenFlags(command, NOT_PROVEN), '--', ...words]);
  }
  requireWritableReports('check', flags.report);
  if (flags.trace !== undefined && flags.replay === undefined) {
    throw usageError('--trace needs --replay TOKEN, because it shows the run of one finding.');
  }
  if (flags.trace !== undefined) requireWritableOutput('--trace', flags.trace);
  const settings = parseCheckSettings(flags, { jobs: availableParallelism(), version: VERSION });
  endWithProof();
  cleanUpKilledRuns();
  await carryOut(flags, { settings, words, again: makeCheckInvocation(words, listGivenFlags(command, NOT_AGAIN)) });
}

function endWithProof(): void {
  if (process.env[PROOF_VARIABLE] === undefined) return;
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && process.emit('SIGTERM'), LOOK_MS).unref();
}

const AS_IN = 'svc-emulator check -- npm test';

function wordsOf(command: Command): string[] {
  const raw: string[] = Reflect.get(command.parent ?? command, 'rawArgs') ?? [];
  const at = raw.indexOf('--');
  const words = at === -1 ? [] : raw.slice(at + 1);
  const [other] = command.args.slice(0, command.args.length - words.length);
  if (other !== undefined) {
    const close = didYouMeanText(other, ['merge']);
    const remedy = close || ` Write all words of the command after --: ${AS_IN}`;
    throw usageError(`${quoted(other)} is neither an option nor a command of check.${remedy}`);
  }
  if (words.some((word) => word.trim() !== '')) return words;
  throw usageError(`The command that runs your tests is missing. Write it after --: ${AS_IN}`);
}

const NEEDED = [
  ['ready', 'start'],
  ['prove', 'base'],
  ['base', 'prove'],
  ['install', 'prove'],
] as const;
const COMMANDS = ['start', 'assert', 'install'] as const;

function requireUsable(flags: CheckFlags, { options }: Command): void {
  requireCompanionOptions(NEEDED, flags, options);
  const empty = COMMANDS.find((name) => flags[name]?.trim() === '');
  if (empty !== undefined) throw usageError(`--${empty} is empty; expected a command.`);
  if (flags.ready !== undefined && !URL.canParse(flags.ready.replaceAll('{port}', '1')))
    throw usageError(`--ready is ${quoted(flags.ready)}; expected a URL, such as http://127.0.0.1:{port}/health.`);
}

interface Order {
  settings: CheckSettings;
  words: string[];
  again: CheckInvocation;
}

async function carryOut(flags: CheckFlags, { settings, words, again }: Order): Promise<void> {
  const { budgetMs } = settings;
  const baseline = readBaselineFromFlags(flags);
  requireSafeCheckFolder(CHECK_FOLDER);
  const saved = new SavedFindingTokens(process.cwd());
  const progress = new CommandProgress('checking', budgetMs);
  const news = new FailurePrinter(again);
  const traces: RunTraceResult[] = [];
  const results = new CheckResults();
  const clock = new VirtualClock();
  const began = clock.real();
  const seconds = () => (clock.real() - began) / 1000;
  const open = async (signal: AbortSignal) => {
    const { run, close } = await prepareCheckRun(words, flags, {
      settings,
      signal,
      results,
      warn: warnUser,
      saved: settings.replay ? [] : saved.read(VERSION),
      onPlan: (plan, deadTests) => printToStderr(`${describeForecast(plan, budgetMs, deadTests)}\n`),
      onBaselineFinding: (finding) => news.ofBaseline(finding),
      onSuspect: (what, scenario, id) => news.suspect(what, scenario, id),
      onConfirmed: (found) => news.confirmed(found),
      onTrace: flags.trace === undefined ? undefined : (trace) => void traces.push(trace),
      onProgress: () => showCheckProgress(progress, { results, settings, elapsedMs: clock.real() - began }),
    });
    return { run, close, progress };
  };
  const { end } = await runWithCleanup({ use: 'check' }, open, ({ run }) => run());
  const judged = makeReport({
    head: makeReportHeader(words.join(' '), settings.seed),
    results,
    settings,
    baseline,
    isWritten: flags.updateBaseline === true,
    again,
    seconds: seconds(),
    today: today(),
    hasAssert: flags.assert !== undefined,
    hasApp: flags.start !== undefined,
    error: end && { exit_code: end.exitCode, message: end.message || 'The run was interrupted.' },
  });
  if (!settings.replay) keepFindings(saved, judged.report.findings);
  if (flags.trace !== undefined)
    writeFindingTrace(flags.trace, traces.at(-1), results.tried.length > 0 ? 'nothing failed' : 'no fault was tried');
  await printAndWriteReport(judged, { flags, baseline, scenarios: results.tried.length, replay: flags.replay, end });
}

interface ToCheck extends Omit<CheckInput, 'version' | 'jobs' | 'mask'> {
  results: CheckResults;
}

export async function prepareCheckRun(
  words: readonly string[],
  flags: ConfigOptions & AppFlags,
  { settings, signal, results, ...options }: ToCheck,
) {
  const clock = new VirtualClock();
  const late = new AbortController();
  forwardAbort(late, signal);
  const { budgetMs, replay, jobs: most, seed } = settings;
  const jobs = replay || hasFixedAppPort(words, flags) ? 1 : most;
  const env = { CI: '1', ...process.env };
  const cancel = budgetMs > 0 ? clock.after(budgetMs * GRACE, () => late.abort()) : () => {};
  const opening = openCommandRunner(words, flags, { env, jobs, seed, clock, signal: late.signal });
  const opened = await opening.catch((error: unknown) => {
    cancel();
    throw error;
  });
  const mask = new ReportMask();
  const named = { version: VERSION, mask: mask.text.bind(mask) };
  const run = () => check({ ...options, ...named, settings, signal: late.signal, jobs }, opened.runner, clock, results);
  const close = async () => {
    cancel();
    await opened.close();
  };
  return { run, close };
}

function keepFindings(saved: SavedFindingTokens, findings: readonly Pick<Finding, 'token' | 'also'>[]): void {
  const isNew = !existsSync(CHECK_FOLDER);
  saved.keep([...findings.map(({ token }) => token), ...findings.flatMap(({ also }) => also)]);
  if (isNew && existsSync(CHECK_FOLDER))
    printToStderr(`Findings are kept in ${CHECK_FOLDER}, and tried first in the next run.\n`);
}

export async function mergeReportFiles(files: readonly string[], flags: MergeFlags): Promise<void> {
  requireWritableReports('check', flags.report);
  const reports = readReports('check', files, parseCheckReport);
  const { judgeMergedReport } = await import('../../check/make-report.ts');
  const { require } = parseCheckSettings({ require: flags.require ?? [] }, { jobs: 1, version: VERSION });
  const baseline = readBaselineFromFlags(flags);
  const parts = { require, baseline, today: today(), isWritten: flags.updateBaseline === true };
  const judged = judgeMergedReport(mergeReports(reports), parts);
  await printAndWriteReport(judged, { flags, baseline, scenarios: undefined, replay: undefined, end: undefined });
}
