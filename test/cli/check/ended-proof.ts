import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { VERSION } from '../../../src/base/package/package-folder.ts';
import { encodeToken } from '../../../src/check/token.ts';
import type { CommandRun } from '../../support/command-here.ts';
import { emptyFolder, folderOf, SpawnedProgram } from '../spawned-program.ts';

/** The token of a compatible change that fails a test. */
const scene = { kind: 'fault', command: '', faults: [{ fault: 'extra_field', site: 'responses #1' }] } as const;
export const TOKEN = encodeToken({ version: VERSION, seed: 1, check: 'tolerates-changes', scene });

/** The test of the folder in which it runs. If the file `suite` says "strict", it accepts no additional field. */
export async function suiteOfFolder(run: CommandRun): Promise<void> {
  const isStrict = readFileSync(path.join(run.env.PWD ?? '', 'suite'), 'utf8') === 'strict';
  await run.test('books what a message costs', async (key) => {
    const { status, body } = await run.chat(key);
    assert.equal(status, 200);
    assert.ok(!isStrict || !('svc_note' in body));
  });
}

/** Leaves a detached process, writes a file as a sign that it runs, and never ends. */
const HANG = `
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
spawn('sleep', ['1005'], { detached: true, stdio: 'inherit' }).unref();
writeFileSync(process.argv[2], '');
setInterval(() => {}, 1000);
`;

/** The phase in which a proof receives its signal. */
type Phase = 'a hook of Git' | '--install' | 'the run on the commit';

export function gitIn(folder: string) {
  return (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
}

export function repository(files: Record<string, string>): string {
  const folder = folderOf(files);
  const git = gitIn(folder);
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '-m', 'Begin');
  return folder;
}

/** Starts a proof that hangs as soon as it reaches the phase. */
export function hungProof(phase: Phase) {
  const folder = repository({ 'hang.mjs': HANG });
  const sign = path.join(emptyFolder(), 'sign');
  const hang = [process.execPath, 'hang.mjs', sign];
  if (phase === 'a hook of Git') {
    const hook = path.join(folder, '.git', 'hooks', 'post-checkout');
    mkdirSync(path.dirname(hook), { recursive: true });
    writeFileSync(hook, `#!/bin/sh\nexec ${hang.join(' ')}\n`);
    chmodSync(hook, 0o755);
  }
  const install = phase === '--install' ? ['--install', hang.join(' ')] : [];
  const line = ['check', '--prove', TOKEN, '--base', 'HEAD', ...install, '--', ...hang];
  return { folder, program: new SpawnedProgram(line, {}, folder), isThere: () => existsSync(sign) };
}

/** Processes that have this environment variable, each with its command. A zombie has no command line. */
export function processesWith(variable: string): { pid: number; command: string }[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      const isOurs = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0${variable}`);
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return isOurs && command !== '' ? [{ pid: Number(pid), command }] : [];
    } catch {
      return [];
    }
  });
}

/** The processes, Git work trees and files that a proof has left. */
export function leftBy(folder: string): string[] {
  const processes = processesWith(`SVC_PROOF=${folder}`).map(({ pid, command }) => `${pid} ${command}`);
  const trees = gitIn(folder)('worktree', 'list').trim().split('\n').slice(1);
  const own = path.join(folder, '.svc-check');
  const files = existsSync(own) ? readdirSync(own).filter((name) => name.startsWith('base-')) : [];
  return [...processes, ...trees, ...files];
}
