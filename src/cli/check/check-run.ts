import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { VirtualClock } from '../../base/clock/virtual-clock.ts';
import type { ConfigOptions } from '../../base/config/config.ts';
import { VERSION } from '../../base/package/package-folder.ts';
import { SavedFindings } from '../../check/app/saved-findings.ts';
import type { Again } from '../../check/app/token.ts';
import { PARTS, type PartName, readCheckReport } from '../../check/check-report.ts';
import { CheckRun, type CheckRunOptions } from '../../check/check-run.ts';
import { type CheckSettings, readCheckSettings } from '../../check/check-settings.ts';
import { makeCheckReport } from '../../check/make-check-report.ts';
import { mergeParts } from '../../check/merge-reports.ts';
import { type RunTrace, TOO_LITTLE } from '../../check/runner/runner.ts';
import { RunTally } from '../../check/spend/run-tally.ts';
import { workToEnd } from '../child-command.ts';
import { CommandEnd, EXIT } from '../process-end.ts';
import { readReports, requireOutput, requireWritable } from '../report-files.ts';
import { RunProgress, sayAside } from '../terminal-output.ts';
import {
  type CheckFlags,
  type CheckGateFlags,
  conclude,
  FailureNews,
  FOLDER,
  gatesOf,
  headOf,
  showProgress,
} from './check-output.ts';
import {
  type AppTexts,
  againOf,
  flagsAgain,
  givesPort,
  lateEnd,
  openRunner,
  requireOutside,
  sharesPort,
  warnUser,
  writeTrace,
} from './explore-world.ts';

/** What a finding is not shown again with. */
const NOT_AGAIN = [
  'again',
  'replay',
  'lie',
  'report',
  'controlToken',
  'require',
  'min',
  'updateBaseline',
  'trace',
  'prove',
  'base',
  'install',
  'only',
  'skip',
  'budget',
  'shard',
  'all',
  'jobs',
];
/** What may pass after the budget, of it: what is under way is ended then. */
const GRACE = 1.02;
const USUAL_PARTS: readonly PartName[] = ['app', 'tests', 'spend'];

/** Carries out `svc-emulator check`: whatever ends it, its reports say so. */
export async function runCheck(named: CheckFlags, command: Command): Promise<void> {
  requireOutside('check');
  const flags = withNewSpellings(named);
  const { parts, words } = wordsOf(command, flags);
  if (flags.prove !== undefined) {
    const { proveFix } = await import('./check-prove.ts');
    return proveFix(flags.prove, flags, [...flagsAgain(command, NOT_AGAIN), '--', ...words]);
  }
  requireWritable('check', flags.report);
  if (flags.trace !== undefined && flags.again === undefined) {
    throw new CommandEnd(EXIT.wrongUse, '--trace is for one finding: give it with --again TOKEN.');
  }
  if (flags.trace !== undefined) requireOutput('--trace', flags.trace);
  const settings = readCheckSettings(flags, { parts, jobs: availableParallelism(), version: VERSION });
  await carryOut(flags, { settings, words, again: againOf(words, flagsAgain(command, NOT_AGAIN)) });
}

/** Those of explore and mutate mean the same. */
function withNewSpellings({ check, replay, lie, ...flags }: CheckFlags): CheckFlags {
  const again = flags.again ?? replay ?? lie;
  const assert = flags.assert ?? check;
  return { ...flags, ...(again !== undefined && { again }), ...(assert !== undefined && { assert, check: assert }) };
}

/** The parts that are asked for, and the words of the command behind `--`. */
function wordsOf(command: Command, flags: CheckFlags): { parts: PartName[]; words: string[] } {
  const raw: string[] = Reflect.get(command.parent ?? command, 'rawArgs') ?? [];
  const at = raw.indexOf('--');
  const words = at === -1 ? [] : raw.slice(at + 1);
  const named = command.args.slice(0, command.args.length - words.length);
  const isPart = (name: string): name is PartName => PARTS.some((part) => part === name);
  const unknown = named.find((name) => !isPart(name));
  if (unknown !== undefined) {
    const hint = at === -1 ? ' Write the command behind --: svc-emulator check -- npm test' : '';
    throw new CommandEnd(EXIT.wrongUse, `There is no part "${unknown}"; expected ${PARTS.join(', ')}.${hint}`);
  }
  const parts = named.length > 0 ? named.filter(isPart) : usualParts(flags);
  requireOptions(parts, flags);
  const needsCommand =
    flags.again?.match(/^(?:receiver|service):/) === null || parts.some((part) => USUAL_PARTS.includes(part));
  if (words.length === 0 && needsCommand) {
    throw new CommandEnd(
      EXIT.wrongUse,
      'Give the command that runs your tests behind --: svc-emulator check -- npm test',
    );
  }
  return { parts, words };
}

/** Those that need an option of their own where it is given. */
function usualParts({ receiver, against, from }: CheckFlags): PartName[] {
  const isAsked = { receiver: receiver !== undefined, service: against !== undefined || from !== undefined };
  return PARTS.filter((part) => USUAL_PARTS.includes(part) || isAsked[part as keyof typeof isAsked]);
}

function requireOptions(parts: readonly PartName[], { receiver, secretEnv, against, from }: CheckFlags): void {
  if (parts.includes('receiver') && (receiver === undefined || secretEnv === undefined)) {
    throw new CommandEnd(EXIT.wrongUse, 'receiver needs --receiver URL and --secret-env NAME.');
  }
  if (parts.includes('service') && against === undefined && from === undefined) {
    throw new CommandEnd(EXIT.wrongUse, 'service needs --against URL with --key-env NAME, or --from FILE.');
  }
}

interface Order {
  settings: CheckSettings;
  words: string[];
  again: Again;
}

async function carryOut(flags: CheckFlags, { settings, words, again }: Order): Promise<void> {
  const { parts: asked, budgetMs, isNarrowed } = settings;
  const gates = gatesOf(flags, settings);
  const saved = new SavedFindings(process.cwd(), FOLDER);
  const progress = new RunProgress('checking', budgetMs);
  const news = new FailureNews(again);
  const traces: RunTrace[] = [];
  const open = async (signal: AbortSignal) => {
    const { run, close } = await openCheck(words, flags, {
      settings,
      again,
      signal,
      baseline: gates.baseline,
      warn: warnUser,
      saved: saved.read(),
      survivors: saved.survivors(),
      onSuspect: (schedule, statement) => news.suspect(schedule, statement),
      onConfirmed: (finding) => news.confirmed(finding),
      onTrace: flags.trace === undefined ? undefined : (trace) => void traces.push(trace),
      onProgress: (done) => showProgress(progress, done, budgetMs),
      receiver: asked.includes('receiver') ? () => receiverCard(flags) : undefined,
      service: asked.includes('service') ? (ended) => serviceDrift(flags, ended) : undefined,
    });
    return { run, close, progress };
  };
  const { opened, end } = await workToEnd({ use: 'check' }, open, ({ run }) => run.run());
  const { run } = opened;
  const judged = makeCheckReport({
    head: headOf(words.join(' '), settings),
    reports: run.reports(),
    faults: run.faults,
    asked,
    gates,
    again,
    seconds: run.seconds,
    isNarrowed,
    hasAssert: flags.assert !== undefined,
    hasProbe: flags.probe !== undefined,
    hasApp: flags.start !== undefined,
    isPartial: flags.again !== undefined || settings.app.shard.of > 1,
    error: end && { exit_code: end.exitCode, message: end.message || 'It was ended by a signal.' },
  });
  judged.complaints.push(...run.movedOn);
  keepFolder(saved, run.remembered);
  if (flags.trace !== undefined) writeTrace(flags.trace, traces.at(-1) ?? run.trace, 'nothing failed');
  await conclude(judged, { flags, run, isAgain: flags.again !== undefined, end });
}

/** Makes all ready that a check of a command needs; it ends soon after its budget. */
export async function openCheck(
  words: readonly string[],
  flags: ConfigOptions & AppTexts,
  { settings, signal, ...options }: Omit<CheckRunOptions, 'version' | 'command' | 'folder' | 'jobs'>,
) {
  const clock = new VirtualClock();
  const late = lateEnd(clock, signal);
  const { budgetMs, replay } = settings;
  const { search, jobs } = settings.app;
  const packed = replay || sharesPort(words, flags) ? 1 : jobs;
  const env = { CI: '1', ...process.env };
  if (budgetMs > 0) late.after(budgetMs * GRACE);
  const runner = await openRunner(words, flags, {
    use: 'check',
    env,
    jobs: packed,
    seed: search.seed,
    clock,
    signal: late.signal,
    openTally: () => new RunTally(),
  }).catch((error: unknown) => {
    late.cancel();
    throw error;
  });
  const named = { version: VERSION, command: words.join(' '), folder: process.cwd() };
  const atOnce = { packed, whole: givesPort(words, flags) ? packed : 1 };
  const run = new CheckRun({ ...options, ...named, settings, signal: late.signal, jobs: atOnce }, runner, clock);
  const close = async () => {
    late.cancel();
    await runner.close();
  };
  return { run, close };
}

async function receiverCard({ receiver = '', secretEnv = '' }: CheckFlags) {
  const { cardOf } = await import('./verify-run.ts');
  const secret = process.env[secretEnv];
  if (!secret) throw new CommandEnd(EXIT.wrongUse, `--secret-env is ${secretEnv}, a variable that is not set.`);
  return cardOf(receiver, { secret });
}

async function serviceDrift({ against, keyEnv, keyFile, from }: CheckFlags, signal: AbortSignal) {
  const { driftOf } = await import('./drift-run.ts');
  const named = Object.entries({ against, keyEnv, keyFile, from }).filter(([, value]) => value !== undefined);
  return driftOf(Object.fromEntries(named), signal);
}

/** Keeps findings for the next run, in a folder that Git does not see. */
function keepFolder(saved: SavedFindings, { tokens, caught }: CheckRun['remembered']): void {
  const isNew = !existsSync(FOLDER);
  saved.keep(tokens, isNew ? [] : caught);
  if (isNew && existsSync(FOLDER))
    sayAside(`Findings and surviving lies are kept in ${FOLDER}, and tried first in the next run.\n`);
}

/** Merges the JSON reports of all shards, and judges them. */
export async function mergeChecks(files: readonly string[], flags: CheckGateFlags): Promise<void> {
  requireWritable('check', flags.report);
  const reports = readReports('check', files, readCheckReport);
  const settings = readCheckSettings(flags, { parts: USUAL_PARTS, jobs: 1, version: VERSION });
  const gates = gatesOf(flags, settings);
  const [first] = reports;
  if (!first) return;
  const { version, date, commit, lock, command, seed } = first;
  const seconds = Math.max(...reports.map(({ measured }) => measured.seconds));
  const error = reports.flatMap((each) => (each.error && each.error.exit_code !== TOO_LITTLE ? [each.error] : []))[0];
  const again = { program: ['npx', 'svc-emulator'], words: ['--', ...command.split(' ')] };
  const judged = makeCheckReport({
    head: { version, date, commit, lock, command, seed },
    reports: mergeParts(reports),
    faults: {},
    asked: PARTS,
    gates,
    again,
    seconds,
    isNarrowed: reports.some(isNarrowed),
    hasAssert: wasHeld(reports, 11),
    hasApp: wasHeld(reports, 8),
    error,
  });
  await conclude(judged, { flags, run: undefined, isAgain: false, end: undefined });
}

function isNarrowed({ statements }: Parameters<typeof mergeParts>[0][number]): boolean {
  return statements.some(({ why = '' }) => why.startsWith('left out by'));
}

function wasHeld(reports: Parameters<typeof mergeParts>[0], id: number): boolean {
  return reports.some(({ statements }) => statements[id - 1]?.state === 'held');
}
