import type { Command } from 'commander';
import type { ConfigOptions } from '../../base/config/config.ts';
import { VERSION } from '../../base/package/package-folder.ts';
import { type ExploreReport, makeReport, NOTHING_RUN } from '../../check/app/explore-report.ts';
import type { ExploreOptions } from '../../check/app/explore-settings.ts';
import { printableExplore, printTests } from '../../check/app/print-explore.ts';
import { SavedFindings } from '../../check/app/saved-findings.ts';
import type { SearchOptions } from '../../check/app/search-run.ts';
import { type Replay, readToken } from '../../check/app/token.ts';
import { mergeReports } from '../../check/merge-reports.ts';
import { TOO_LITTLE } from '../../check/runner/runner.ts';
import { endOfRun, workToEnd } from '../child-command.ts';
import { CommandEnd, EXIT } from '../process-end.ts';
import { asJson, readReports, requireWritable, writeOut } from '../report-files.ts';
import { RunProgress } from '../terminal-output.ts';
import { type AppTexts, againOf, flagsAgain, openSearch, requireOutside, showSearch } from './explore-world.ts';
import { ReportMask, showReport } from './show-report.ts';

/** What a replay is not given again: its own token, files that it would write over, and a secret. */
const NOT_AGAIN = ['replay', 'report', 'controlToken'];

type ExploreFlags = ExploreOptions & ConfigOptions & AppTexts & { report?: string[]; saved: boolean };

/** Carries out `svc-emulator explore`: whatever ends it, its reports say so. */
export async function runExplore(words: string[], flags: ExploreFlags, command: Command): Promise<void> {
  requireOutside('explore');
  const { report: files = [], seed = 1, bound = 2 } = flags;
  requireWritable('explore', files);
  const again = againOf(words, flagsAgain(command, NOT_AGAIN));
  const about = { version: VERSION, command: words.join(' '), seed, bound, seconds: 0, again };
  const saved = flags.saved ? new SavedFindings(process.cwd()) : undefined;
  const open = async (signal: AbortSignal) => {
    const replay = flags.replay === undefined ? undefined : requireToken(flags.replay);
    // What became of the trace of each finding, by its token.
    const traces = new Map<string, string>();
    const keepTrace: SearchOptions['keepTrace'] = (finding, trace) => {
      const outcome = 'html' in trace ? saved?.keepTrace(finding, trace.html) : `was not made: ${trace.fault}`;
      traces.set(finding.token, outcome ?? '');
    };
    const search = await openSearch(words, { flags, replay, signal, saved, keepTrace: saved && keepTrace });
    return { ...search, traces, progress: new RunProgress('exploring', search.budgetMs) };
  };
  const ended = await workToEnd({ use: 'explore' }, open, ({ run, progress }) =>
    run((done) => showSearch(progress, done)),
  ).catch((error: unknown) => endOfRun(error, 'explore'));
  if (ended instanceof CommandEnd) {
    const report = makeReport(about, NOTHING_RUN, { exit_code: ended.exitCode, message: ended.message });
    await showReport({ report, files, print: (masked) => printableExplore(masked), text: '' });
    throw ended;
  }
  const { opened: search } = ended;
  const shortfall = search.shortfall();
  const end = ended.end ?? (shortfall === undefined ? undefined : new CommandEnd(TOO_LITTLE, shortfall));
  const { result, seconds } = search.searchRun;
  const { findings, unstable, unconfirmed } = result;
  saved?.keep([...findings, ...unconfirmed].map(({ token }) => token));
  const shown = new Map(
    [...findings, ...unstable].map((each) => [each.token, { ...each.shown, trace: search.traces.get(each.token) }]),
  );
  const isFault = end !== undefined && end.message !== '';
  const error = isFault ? { exit_code: end.exitCode, message: end.message } : undefined;
  const isPassed = search.replay !== undefined && findings.length === 0 && !end;
  const tests = search.replay ? '' : printTests(findings, again);
  await showReport({
    report: makeReport({ ...about, seed: search.seed, bound: search.bound, seconds }, result, error),
    files,
    print: (masked, isWhole) => printableExplore(masked, isWhole ? shown : undefined, tests),
    text: isPassed ? 'Passed: this scenario does not break your app.\n' : undefined,
  });
  if (!isFault && findings.length > 0) throw new CommandEnd(EXIT.failure);
  if (end) throw new CommandEnd(end.exitCode, new ReportMask().text(end.message));
}

function requireToken(text: string): Replay {
  const token = readToken(text);
  if (token?.version === VERSION) return token;
  throw new CommandEnd(
    EXIT.wrongUse,
    token
      ? `The token is of version ${token.version}; this is ${VERSION}. Explore again with this version, or replay it with that one.`
      : `--replay is ${text.slice(0, 60)}; expected a token that a finding was reported with.`,
  );
}

/** Merges the JSON reports of all shards. */
export function mergeExplored(
  files: readonly string[],
  { output, out = output }: { output?: string; out?: string },
): void {
  const merged = mergeReports(readReports('explore', files, readReport));
  writeOut(out, asJson(merged));
  if (merged.error) throw new CommandEnd(merged.error.exit_code, merged.error.message);
  if (merged.findings.length > 0) throw new CommandEnd(EXIT.failure);
}

function readReport(json: unknown): ExploreReport | undefined {
  return typeof Object(json).schedules_hash === 'string' ? (json as ExploreReport) : undefined;
}
