import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { VERSION } from '../../../src/base/package/package-folder.ts';
import { encodeToken } from '../../../src/check/token.ts';
import { emptyFolder, folderOf, SpawnedProgram } from '../spawned-program.ts';

/** The token of a compatible change that fails a test. */
const scene = { kind: 'fault', command: '', faults: [{ fault: 'extra_field', site: 'responses #1' }] } as const;
export const TOKEN = encodeToken({ version: VERSION, seed: 1, check: 'tolerates-changes', scene });

/** Says that it has come so far, leaves a detached process, and never ends. */
const HANG = `
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
spawn('sleep', ['1005'], { detached: true, stdio: 'inherit' }).unref();
writeFileSync(process.argv[2], '');
setInterval(() => {}, 1000);
`;
/** Ends at once on the commit, so that the run in the folder itself is the one that hangs. */
const RUN = `
if (process.cwd().includes('.svc-check') && process.argv[3] === 'here') process.exit(1);
await import('./hang.mjs');
`;

/** Where a proof is when it gets its signal. */
type Phase = 'a hook of Git' | '--install' | 'the run on the commit' | 'the run here';

/** A proof that hangs in one of its phases. */
export interface HungProof {
  folder: string;
  program: SpawnedProgram;
  /** It is in its phase. */
  isThere(): boolean;
}

export function gitIn(folder: string) {
  return (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
}

/** A folder with these files, committed. */
export function repository(files: Record<string, string>): string {
  const folder = folderOf(files);
  const git = gitIn(folder);
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '-m', 'Begin');
  return folder;
}

/** Starts a proof in a repository; it hangs in the phase. */
export function hungProof(phase: Phase): HungProof {
  const folder = repository({ 'hang.mjs': HANG, 'run.mjs': RUN });
  const sign = path.join(emptyFolder(), 'sign');
  const hang = (script: string, ...more: string[]) => [process.execPath, script, sign, ...more];
  if (phase === 'a hook of Git') {
    const hook = path.join(folder, '.git', 'hooks', 'post-checkout');
    mkdirSync(path.dirname(hook), { recursive: true });
    writeFileSync(hook, `#!/bin/sh\nexec ${hang('hang.mjs').join(' ')}\n`);
    chmodSync(hook, 0o755);
  }
  const install = phase === '--install' ? ['--install', hang('hang.mjs').join(' ')] : [];
  const where = phase === 'the run here' ? ['here'] : [];
  const line = ['check', '--prove', TOKEN, '--base', 'HEAD', ...install, '--', ...hang('run.mjs', ...where)];
  return { folder, program: new SpawnedProgram(line, {}, folder), isThere: () => existsSync(sign) };
}

/** What a proof has left: processes that it has started, work trees of Git, and files in its folder. */
export function leftBy(folder: string): string[] {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const isOurs = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0SVC_PROOF=${folder}`);
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return isOurs && command !== '' ? [`${pid} ${command}`] : [];
      } catch {
        return [];
      }
    });
  const trees = gitIn(folder)('worktree', 'list').trim().split('\n').slice(1);
  const own = path.join(folder, '.svc-check');
  const files = existsSync(own) ? readdirSync(own).filter((name) => name.startsWith('base-')) : [];
  return [...processes, ...trees, ...files];
}
