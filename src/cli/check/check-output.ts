import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { VirtualClock } from '../../base/clock/virtual-clock.ts';
import type { ConfigOptions } from '../../base/config/config.ts';
import { VERSION } from '../../base/package/package-folder.ts';
import { counted } from '../../base/text.ts';
import type { Finding } from '../../check/app/finding-book.ts';
import { makeOwnFolder, removeOldPages } from '../../check/app/saved-findings.ts';
import { type Schedule, titleOf } from '../../check/app/schedule.ts';
import { type Again, replayLine } from '../../check/app/token.ts';
import { BASELINE_FILE, nextBaseline, readCheckBaseline } from '../../check/check-baseline.ts';
import type { CheckProgress, CheckRun } from '../../check/check-run.ts';
import type { CheckOptions, CheckSettings } from '../../check/check-settings.ts';
import {
  type CheckHead,
  type CheckParts,
  FAILED_BY_ITSELF,
  INTERRUPTED,
  type JudgedCheck,
} from '../../check/make-check-report.ts';
import { printableCheck } from '../../check/print-check.ts';
import { TOO_LITTLE } from '../../check/runner/runner.ts';
import { statementRow } from '../../check/statements.ts';
import { CHECK_PAGE } from '../../dashboard/check-page-file.ts';
import { CommandEnd, EXIT } from '../process-end.ts';
import { asJson, keepOutput, requireOutput } from '../report-files.ts';
import { type RunProgress, sayAside } from '../terminal-output.ts';
import type { AppTexts } from './explore-world.ts';
import type { GateFlags } from './mutate-run.ts';
import { ReportMask, showReport } from './show-report.ts';

/** What a report is held to, and where it is written. */
export interface CheckGateFlags extends GateFlags, Pick<CheckOptions, 'require' | 'allow' | 'expectFailure'> {}

export type CheckFlags = Omit<CheckOptions, 'require'> &
  CheckGateFlags &
  ConfigOptions &
  AppTexts & {
    /** Old spellings of `again`. */
    replay?: string;
    lie?: string;
    assert?: string;
    receiver?: string;
    secretEnv?: string;
    against?: string;
    keyEnv?: string;
    keyFile?: string;
    from?: string;
    trace?: string;
    prove?: string;
    base?: string;
    install?: string;
  };

/** Throws `RunFault` for a baseline that is named and not there. */
export function gatesOf(
  { baseline: file, updateBaseline = false, allow = [] }: CheckGateFlags,
  { require, min, maxBrittle }: Pick<CheckSettings, 'require' | 'min' | 'maxBrittle'>,
): CheckParts['gates'] {
  if (updateBaseline) requireOutput('--baseline', file ?? BASELINE_FILE);
  const baseline = readCheckBaseline(file ?? BASELINE_FILE, file === undefined || updateBaseline);
  return { require, min, maxBrittle, allowed: allow, baseline, isWritten: updateBaseline };
}

export function headOf(command: string, { app }: CheckSettings): CheckHead {
  const date = new Date(new VirtualClock().real()).toISOString();
  return { version: VERSION, date, commit: commitHere(), lock: lockHere(), command, seed: app.search.seed };
}

/** What Git prints; throws where it ends with another code than 0. */
export function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

/** What a check keeps of its own, below the folder that it runs in. */
export const FOLDER = path.dirname(CHECK_PAGE);

/** Null outside of Git. */
export function commitHere(cwd = process.cwd()): CheckHead['commit'] {
  try {
    return { id: git(cwd, 'rev-parse', 'HEAD'), clean: git(cwd, 'status', '--porcelain') === '' };
  } catch {
    return null;
  }
}

const LOCKS = [
  'package-lock.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'bun.lock',
  'bun.lockb',
  'uv.lock',
  'poetry.lock',
  'requirements.txt',
  'go.sum',
];

function lockHere(): string | null {
  const file = LOCKS.find((name) => existsSync(name));
  return file === undefined ? null : createHash('sha256').update(readFileSync(file)).digest('hex');
}

/** Exit codes that say all there is to say. */
const SAYS_ALL = [...FAILED_BY_ITSELF, TOO_LITTLE];

interface Conclusion {
  flags: CheckGateFlags;
  run: Pick<CheckRun, 'shown'> | undefined;
  isAgain: boolean;
  end: CommandEnd | undefined;
}

/** Prints what was found and writes it, whatever the end. */
export async function conclude(judged: JudgedCheck, { flags, run, isAgain, end }: Conclusion): Promise<void> {
  const { report, complaints } = judged;
  // Of a command that fails by itself there is nothing else to say.
  const isEmpty = Object.keys(report.parts).length === 0 || SAYS_ALL.includes(end?.exitCode ?? 0);
  const shown = run?.shown ?? { scenarios: new Map() };
  const page = await showReport({
    report,
    files: flags.report,
    print: (masked, isWhole) => printableCheck({ report: masked, complaints }, { isAgain, ...(isWhole && { shown }) }),
    text: isAgain && report.exit === EXIT.success ? againText(judged) : isEmpty ? emptyText(end) : undefined,
  });
  if (flags.updateBaseline && report.error === undefined) updateBaseline(judged, flags);
  if (!isEmpty && !isAgain && run !== undefined) keepPage(await page());
  endAs(judged, flags, end);
}

/** Throws `CommandEnd` where a report ends with another exit code than 0. */
function endAs({ report, complaints }: JudgedCheck, flags: CheckGateFlags, end: CommandEnd | undefined): void {
  const { exitCode, message } = end ?? { exitCode: report.exit, message: report.error?.message ?? '' };
  const isWritten = flags.updateBaseline && exitCode === EXIT.failure && complaints.length === 0;
  if (end || (exitCode !== EXIT.success && !isWritten)) throw new CommandEnd(exitCode, new ReportMask().text(message));
}

/** Keeps the page of a check, which an emulator of this folder serves at /check. */
function keepPage(page: string): void {
  try {
    makeOwnFolder(FOLDER);
    writeFileSync(CHECK_PAGE, page);
    removeOldPages(FOLDER, [path.basename(CHECK_PAGE)]);
  } catch {
    // A folder that is read-only has no memory.
  }
}

/** Of a run that has come to nothing; what else ends one says so itself. */
function emptyText(end: CommandEnd | undefined): string {
  return end?.exitCode === INTERRUPTED ? 'The run was interrupted before its baseline runs were made.\n' : '';
}

function againText({ report: { parts } }: JudgedCheck): string {
  if (parts.app) return 'Passed: this scenario does not break your app.\n';
  return parts.tests ? 'Caught: a test fails under this lie.\n' : 'Passed: nothing of this part is broken.\n';
}

function updateBaseline({ report }: JudgedCheck, { baseline: file = BASELINE_FILE }: CheckGateFlags): void {
  const next = nextBaseline(report, readCheckBaseline(file));
  keepOutput('--baseline', file, asJson(next));
  sayAside(`svc-emulator: wrote ${file}: commit it.\n`);
}

/** How far a check is, in words. */
export function showProgress(progress: RunProgress, done: CheckProgress, budgetMs: number): void {
  const share = budgetMs === 0 ? (done.scenarios + done.lies) / Math.max(1, done.all) : 0;
  const words = [
    counted(done.scenarios, 'scenario'),
    `${done.lies} of ${counted(done.planned, 'lie')}`,
    counted(done.findings, 'finding'),
  ];
  progress.show(share, words.join(', '), done);
}

/** Names what fails as it comes, once for what is different at whatever step. */
export class FailureNews {
  readonly #noted = new Set<string>();
  readonly #again: Again;

  constructor(again: Again) {
    this.#again = again;
  }

  suspect(schedule: Schedule, statement: number): void {
    this.#say('Failed once, and is run again', { schedule, statement });
  }

  /** With the command that shows it again, which need not wait for the end of the run. */
  confirmed(finding: Finding): void {
    const again = replayLine(finding.token, { ...this.#again, isCheck: true });
    this.#say('Found', finding, `  Again: ${new ReportMask().text(again)}\n`);
  }

  #say(what: string, { schedule, statement }: Pick<Finding, 'schedule' | 'statement'>, more = ''): void {
    const words = schedule.map(({ deviation }) => deviation).join(' and ');
    const row = statementRow(statement);
    const news = `${what}: the app breaks under ${words} (${row?.id}. ${row?.text})`;
    if (this.#noted.has(news)) return;
    this.#noted.add(news);
    sayAside(`${news}: ${titleOf(schedule)}.\n${more}`);
  }
}
