import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { VirtualClock } from '../../base/clock/virtual-clock.ts';
import { readPlainFile } from '../../base/config/plain-file.ts';
import { VERSION } from '../../base/package/package-folder.ts';
import { parsedJson } from '../../base/text.ts';
import { type CheckReport, readCheckReport } from '../../check/report.ts';
import { ShellProcess } from '../../check/runner/shell-process.ts';
import { makeOwnFolder, OWN_FOLDER } from '../../check/saved-findings.ts';
import { exitCodeOf, holdSignals } from '../child-command.ts';
import { CommandEnd, EXIT } from '../process-end.ts';
import { keepOutput, requireOutput } from '../report-files.ts';
import { say, sayAside } from '../terminal-output.ts';
import { type CheckFlags, commitHere, git } from './check-output.ts';

/** What a finding came to on one state of the code. */
interface Side {
  commit: CheckReport['commit'];
  exit: number;
  /** Whether it was there; undefined where that could not be measured. */
  failed: boolean | undefined;
  findings: CheckReport['findings'];
  error?: string;
}

/**
 * Runs a finding on a commit, in a work tree of its own, and then here. Proven, and exit code 0, only where it failed there
 * and passes here. Throws `CommandEnd` (2) for what names no commit.
 */
export async function proveFix(token: string, flags: CheckFlags, words: readonly string[]): Promise<void> {
  const { base: ref, install, report: files = [] } = flags;
  if (ref === undefined) throw new CommandEnd(EXIT.wrongUse, '--prove needs --base REF, a commit on which it failed.');
  for (const file of files) requireJson(file);
  const root = gitText(['rev-parse', '--show-toplevel'], 'This folder is in no Git repository.');
  const commit = gitText(['rev-parse', '--verify', `${ref}^{commit}`], `--base is ${ref}, which names no commit.`);
  const prefix = gitText(['rev-parse', '--show-prefix'], 'This folder is in no Git repository.');
  const signals = holdSignals();
  try {
    const there = await onCommit({ root, prefix, commit, install }, (folder) => measured(token, words, folder));
    refuseSignal(signals.heard);
    const here = await measured(token, words, process.cwd());
    refuseSignal(signals.heard);
    const isProven = there.failed === true && here.failed === false;
    const proof = { version: VERSION, token, base: { ref, ...there }, here, proven: isProven };
    for (const file of files) keepOutput('--report', file, `${JSON.stringify(proof, null, 2)}\n`, EXIT.wrongUse);
    say(`${isProven ? 'Proven' : 'Not proven'}: ${inWords(there)} on ${ref}, ${inWords(here)} here.\n`);
    if (!isProven) throw new CommandEnd(EXIT.failure);
  } finally {
    signals.release();
  }
}

function requireJson(file: string): void {
  if (!file.endsWith('.json')) {
    throw new CommandEnd(EXIT.wrongUse, `--report is ${file}; with --prove expected a file that ends in .json.`);
  }
  requireOutput('--report', file);
}

function refuseSignal(heard: AbortSignal): void {
  if (heard.aborted) throw new CommandEnd(exitCodeOf(heard.reason));
}

function inWords({ failed, findings, error }: Side): string {
  if (failed === undefined) return `it could not be measured (${error ?? 'nothing came of it'})`;
  const checks = [...new Set(findings.map(({ check }) => check))];
  return failed ? `it failed (${checks.join(', ')})` : 'it passed';
}

function gitText(args: readonly string[], fault: string): string {
  try {
    return git(process.cwd(), ...args);
  } catch {
    throw new CommandEnd(EXIT.wrongUse, fault);
  }
}

interface Base {
  root: string;
  /** Of the current folder, from the root. */
  prefix: string;
  commit: string;
  install: string | undefined;
}

/** Below the root, so that modules which are installed there are found; gone afterwards. */
async function onCommit(
  { root, prefix, commit, install }: Base,
  work: (folder: string) => Promise<Side>,
): Promise<Side> {
  const tree = mkdtempSync(path.join(makeOwnFolder(path.join(root, OWN_FOLDER)), 'base-'));
  try {
    git(root, 'worktree', 'add', '--quiet', '--force', '--detach', tree, commit);
    const folder = path.join(tree, prefix);
    if (install !== undefined) await installed(install, folder);
    return await work(folder);
  } finally {
    git(root, 'worktree', 'remove', '--force', tree);
    rmSync(tree, { recursive: true, force: true });
  }
}

async function installed(command: string, cwd: string): Promise<void> {
  sayAside(`Making the commit ready: ${command}\n`);
  const shell = new ShellProcess(command, { cwd, env: process.env });
  shell.onOutput((from, text) => from === 'err' && sayAside(text));
  const { code } = await shell.end(new VirtualClock(), undefined);
  if (code !== 0) throw new CommandEnd(EXIT.wrongUse, `--install ended with exit code ${code}: ${command}`);
}

/** Runs the finding alone, in a process whose folder that is. */
async function measured(token: string, words: readonly string[], cwd: string): Promise<Side> {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-check-'));
  const file = path.join(folder, 'replay.json');
  const [, program = ''] = process.argv;
  const line = [...process.execArgv, program, 'check', '--replay', token, '--report', file, ...words];
  try {
    const child = spawn(process.execPath, line, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const [code] = await once(child, 'close');
    const report = readCheckReport(parsedJson(existsSync(file) ? readPlainFile(file) : undefined));
    // A replay has no other findings; a token holds the steps of the code that it was found in.
    const findings = report?.findings ?? [];
    const isKnown = report !== undefined && report.error === undefined;
    return {
      commit: commitHere(cwd),
      exit: code ?? EXIT.failure,
      failed: isKnown ? findings.length > 0 : undefined,
      findings,
      ...(!isKnown && { error: said.trim().slice(-2000) }),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
