import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { VirtualClock } from '../../base/clock/virtual-clock.ts';
import { quoted } from '../../base/errors.ts';
import { readPlainFile } from '../../base/files/plain-file.ts';
import { VERSION } from '../../base/package/package-folder.ts';
import { tryParseJson } from '../../base/text.ts';
import { type CheckReport, parseCheckReport } from '../../check/report.ts';
import { describeLeftoverProcesses, killProcessesByVariable } from '../../check/runner/leftover-processes.ts';
import { ShellProcess } from '../../check/runner/shell-process.ts';
import { CHECK_FOLDER, makeCheckFolder } from '../../check/saved-findings.ts';
import { toShellCommandLine } from '../../check/token.ts';
import { deferSignals, exitCodeOfSignal } from '../child-command.ts';
import { CommandError, EXIT_CODES } from '../process-end.ts';
import { requireWritableReports, writeOutputOrThrow } from '../report-files.ts';
import { print, printToStderr } from '../terminal-output.ts';
import { type CheckFlags, PROOF_VARIABLE as MARK, readCurrentCommit, runGit } from './check-output.ts';
import { ReportMask } from './report-mask.ts';
import { removeLeftoverWorkTrees, removeWorkTree } from './work-trees.ts';

interface Side {
  commit: CheckReport['commit'];
  exit: number;
  failed: boolean | undefined;
  findings: CheckReport['findings'];
  error?: string;
}

const OUTSIDE = '--prove needs a Git repository, and this folder is in none. Run it in the repository of your code.';

/**
 * Throws `CommandError` with exit code 1 unless the run fails at `--base` and passes here, with 2 for a wrong option or
 * if the commit cannot be prepared, and after a signal with 128 plus its number.
 */
export async function proveFix(token: string, flags: CheckFlags, words: readonly string[]): Promise<void> {
  const { base: ref = '', install, report: files = [] } = flags;
  for (const file of files) requireJson(file);
  const root = gitText(['rev-parse', '--show-toplevel'], OUTSIDE);
  const commit = gitText(
    ['rev-parse', '--verify', `${ref}^{commit}`],
    `--base is ${quoted(ref)}; expected a commit, a branch or a tag of this repository.`,
  );
  const prefix = gitText(['rev-parse', '--show-prefix'], OUTSIDE);
  const signals = deferSignals();
  try {
    const { heard } = signals;
    const base = { root, prefix, commit, install, heard };
    const there = await onCommit(base, (folder, mark) => measured({ token, words, cwd: folder, mark, heard }));
    refuseSignal(heard);
    const here = await measured({ token, words, cwd: process.cwd(), mark: root, heard });
    refuseSignal(signals.heard);
    const isProven = there.failed === true && here.failed === false;
    const proof = { version: VERSION, token, base: { ref, ...there }, here, proven: isProven };
    for (const file of files)
      writeOutputOrThrow('--report', file, `${JSON.stringify(proof, null, 2)}\n`, EXIT_CODES.wrongUse);
    print(`${isProven ? 'Proven' : 'Not proven'}: ${inWords(there)} on ${ref}, ${inWords(here)} here.\n`);
    if (!isProven) throw new CommandError(EXIT_CODES.failure);
  } finally {
    signals.release();
  }
}

function requireJson(file: string): void {
  if (!file.endsWith('.json')) {
    throw new CommandError(
      EXIT_CODES.wrongUse,
      `--report is ${file}; with --prove expected a file that ends in .json.`,
    );
  }
  requireWritableReports('check --prove', [file]);
}

function refuseSignal(heard: AbortSignal): void {
  if (heard.aborted) throw new CommandError(exitCodeOfSignal(heard.reason));
}

function inWords({ failed, findings, error }: Side): string {
  if (failed === undefined) return `it could not be measured (${error ?? 'no result'})`;
  const checks = [...new Set(findings.map(({ check }) => check))];
  return failed ? `it failed (${checks.join(', ')})` : 'it passed';
}

function gitText(args: readonly string[], fault: string): string {
  try {
    return runGit(process.cwd(), ...args);
  } catch {
    throw new CommandError(EXIT_CODES.wrongUse, fault);
  }
}

interface Base {
  root: string;
  prefix: string;
  commit: string;
  install: string | undefined;
  heard: AbortSignal;
}

const KILL_AFTER_MS = 3000;

/**
 * Runs `work` in a work tree of the `--base` commit. The work tree is inside `root`, so that modules installed there
 * are found.
 */
async function onCommit(base: Base, work: (folder: string, mark: string) => Promise<Side>): Promise<Side> {
  const { root, prefix, install, heard } = base;
  const own = makeCheckFolder(path.join(root, CHECK_FOLDER));
  removeLeftoverWorkTrees(root);
  const tree = mkdtempSync(path.join(own, `base-${process.pid}-`));
  try {
    await addTree(base, tree);
    refuseSignal(heard);
    const folder = path.join(tree, prefix);
    if (install !== undefined) await installed({ command: install, cwd: folder, mark: tree, heard });
    refuseSignal(heard);
    return await work(folder, tree);
  } finally {
    removeWorkTree(root, tree);
  }
}

async function addTree({ root, commit, heard }: Base, tree: string): Promise<void> {
  const words = ['git', 'worktree', 'add', '--quiet', '--force', '--detach', tree.split(path.sep).join('/'), commit];
  const shell = new ShellProcess(toShellCommandLine(words), { cwd: root, env: { ...process.env, [MARK]: tree } });
  const { code } = await shell.end(new VirtualClock(), undefined, heard);
  if (code === 0 || heard.aborted) return;
  const said = new ReportMask().text(shell.output.trim()).slice(-2000);
  throw new CommandError(EXIT_CODES.wrongUse, `Git created no work tree for --base: ${said || 'no output'}`);
}

interface Place {
  cwd: string;
  mark: string;
  heard: AbortSignal;
}

async function installed({ command, cwd, mark, heard }: { command: string } & Place): Promise<void> {
  printToStderr(`Preparing the commit: ${command}\n`);
  const shell = new ShellProcess(command, { cwd, env: { ...process.env, [MARK]: mark } });
  shell.onOutput((from, text) => from === 'err' && printToStderr(text));
  const { code, left } = await shell.end(new VirtualClock(), undefined, heard);
  refuseSignal(heard);
  if (left.length > 0)
    printToStderr(`--install left processes running, which were stopped: ${describeLeftoverProcesses(left)}.\n`);
  if (code !== 0) throw new CommandError(EXIT_CODES.wrongUse, `--install ended with exit code ${code}: ${command}`);
}

interface Measured extends Place {
  token: string;
  words: readonly string[];
}

async function measured({ token, words, cwd, mark, heard }: Measured): Promise<Side> {
  const folder = mkdtempSync(path.join(tmpdir(), `svc-check-${process.pid}-`));
  const file = path.join(folder, 'replay.json');
  const [, program = ''] = process.argv;
  const line = [...process.execArgv, program, 'check', '--replay', token, '--report', file, ...words];
  try {
    const env = { ...process.env, [MARK]: mark };
    const child = spawn(process.execPath, line, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
    const release = endAtSignal(child, mark, heard);
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const [code] = await once(child, 'close').finally(release);
    const report = parseCheckReport(tryParseJson(existsSync(file) ? readPlainFile(file) : undefined));
    // Any finding counts: tokens cannot be compared, because they may contain a hash of the sites that the commit reaches.
    const findings = report?.findings ?? [];
    const isKnown = report !== undefined && report.error === undefined;
    return {
      commit: readCurrentCommit(cwd),
      exit: code ?? EXIT_CODES.failure,
      failed: isKnown ? findings.length > 0 : undefined,
      findings,
      ...(!isKnown && { error: new ReportMask().text(said.trim()).slice(-2000) }),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function endAtSignal(child: ChildProcess, mark: string, heard: AbortSignal): () => void {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    child.kill('SIGTERM');
    timer = setTimeout(() => {
      child.kill('SIGKILL');
      killProcessesByVariable(`${MARK}=${mark}`);
      child.stderr?.destroy();
    }, KILL_AFTER_MS);
  };
  heard.addEventListener('abort', stop, { once: true });
  if (heard.aborted) stop();
  return () => {
    clearTimeout(timer);
    heard.removeEventListener('abort', stop);
  };
}
