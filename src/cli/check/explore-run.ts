import type { Command } from 'commander';
import type { ConfigOptions } from '../../base/config/config.ts';
import { VERSION } from '../../base/package/package-folder.ts';
import { type ExploreReport, makeReport, NOTHING_RUN, type ReportParts } from '../../check/app/explore-report.ts';
import { type ExploreOptions, TOO_FEW } from '../../check/app/explore-settings.ts';
import { printableExplore, printTests } from '../../check/app/print-explore.ts';
import { SavedFindings } from '../../check/app/saved-findings.ts';
import type { SearchOptions } from '../../check/app/search-run.ts';
import { type Replay, readToken } from '../../check/app/token.ts';
import { mergeReports } from '../../check/merge-reports.ts';
import { endOfRun, holdSignals, type UnderWay, workToEnd } from '../child-command.ts';
import { CommandEnd, EXIT } from '../process-end.ts';
import { asJson, readReports, requireWritable, writeOut } from '../report-files.ts';
import { RunProgress } from '../terminal-output.ts';
import {
  type AppTexts,
  flagsAgain,
  type OpenSearch,
  openSearch,
  requireOutside,
  showSearch,
  startedAs,
} from './explore-world.ts';
import { ReportMask, showReport } from './show-report.ts';

/** What a replay is not given again: its own token, files that it would write over, and a secret. */
const NOT_AGAIN = ['replay', 'report', 'controlToken'];

type ExploreFlags = ExploreOptions & ConfigOptions & AppTexts & { report?: string[]; saved: boolean };

/** Carries out `svc-emulator explore`: whatever ends it, its reports say so. */
export async function runExplore(words: string[], flags: ExploreFlags, command: Command): Promise<void> {
  requireOutside('explore');
  const { report: files = [], seed = 1, bound = 2 } = flags;
  requireWritable('explore', files);
  const program = startedAs(process, process.cwd());
  const again = { program, words: [...flagsAgain(command, NOT_AGAIN), '--', ...words] };
  const about = { version: VERSION, command: words.join(' '), seed, bound, seconds: 0, again };
  const search = await prepared(words, flags).catch((error: unknown) => endOfRun(error, 'explore'));
  if (search instanceof CommandEnd) {
    const error = { exit_code: search.exitCode, message: search.message };
    const report = makeReport(about, NOTHING_RUN, error);
    await showReport({ report, files, print: (masked) => printableExplore(masked), text: '' });
    throw search;
  }
  const { progress } = search;
  const end = await workToEnd(() => search.run((done) => showSearch(progress, done)), search);
  const shortfall = search.shortfall();
  const tooFew = shortfall === undefined ? undefined : new CommandEnd(TOO_FEW, shortfall);
  await conclude(search, { files, about, end: end ?? tooFew });
}

/** A search as its command runs it. */
interface ExploreSearch extends OpenSearch, UnderWay {
  saved: SavedFindings | undefined;
  /** What became of the trace of each finding, by its token. */
  traces: ReadonlyMap<string, string>;
  progress: RunProgress;
}

async function prepared(words: string[], flags: ExploreFlags): Promise<ExploreSearch> {
  const replay = flags.replay === undefined ? undefined : requireToken(flags.replay);
  const signals = holdSignals();
  const stop = new AbortController();
  const signal = AbortSignal.any([signals.heard, stop.signal]);
  const saved = flags.saved ? new SavedFindings(process.cwd()) : undefined;
  const traces = new Map<string, string>();
  const keepTrace: SearchOptions['keepTrace'] =
    saved &&
    ((finding, trace) => {
      const outcome = 'html' in trace ? saved.keepTrace(finding, trace.html) : `was not made: ${trace.fault}`;
      traces.set(finding.token, outcome);
    });
  const parts = { flags, replay, signal, saved, ...(keepTrace && { keepTrace }) };
  const search = await openSearch(words, parts).catch((error: unknown) => {
    signals.release();
    throw error;
  });
  return {
    ...search,
    use: 'explore',
    signals,
    stop,
    saved,
    traces,
    progress: new RunProgress('exploring', search.budgetMs),
  };
}

interface Conclusion {
  files: readonly string[];
  about: ReportParts;
  end: CommandEnd | undefined;
}

/** Prints what was found and writes it, whatever the end. */
async function conclude(search: ExploreSearch, { files, about, end }: Conclusion): Promise<void> {
  const { searchRun, seed, bound, saved } = search;
  const { result, seconds } = searchRun;
  const parts = { ...about, seed, bound, seconds };
  const error = end && end.message !== '' ? { exit_code: end.exitCode, message: end.message } : undefined;
  const known = [...result.findings, ...result.unstable];
  const shown = new Map(known.map((each) => [each.token, { ...each, trace: search.traces.get(each.token) }]));
  saved?.keep([...result.findings, ...result.unconfirmed].map(({ token }) => token));
  const report = makeReport(parts, result, error);
  const isPassed = search.replay !== undefined && result.findings.length === 0 && !end;
  const tests = search.replay ? '' : printTests(result.findings, about.again);
  await showReport({
    report,
    files,
    print: (masked, isWhole) => printableExplore(masked, isWhole ? shown : undefined, tests),
    text: isPassed ? 'Passed: this scenario no longer breaks your app.\n' : undefined,
  });
  const isStopped = end === undefined || end.message === '';
  if (isStopped && result.findings.length > 0) throw new CommandEnd(EXIT.failure);
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
