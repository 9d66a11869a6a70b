import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { killProcessesByVariable } from '../../check/runner/leftover-processes.ts';
import { CHECK_FOLDER, requireSafeCheckFolder } from '../../check/saved-findings.ts';
import { PROOF_VARIABLE as MARK, runGit } from './check-output.ts';

export function removeWorkTree(root: string, tree: string): void {
  killProcessesByVariable(`${MARK}=${tree}`);
  rmSync(tree, { recursive: true, force: true, maxRetries: 3 });
  // Removes a lock first: Git locks a work tree while it creates it, and prunes no locked one.
  const { stdout } = spawnSync('git', ['rev-parse', '--git-path', 'worktrees'], { cwd: root, encoding: 'utf8' });
  rmSync(path.join(path.resolve(root, stdout.trim()), path.basename(tree), 'locked'), { force: true });
  spawnSync('git', ['worktree', 'prune'], { cwd: root, stdio: 'ignore' });
}

export function cleanUpKilledRuns(): void {
  const left = readdirSync(tmpdir()).flatMap((name) => {
    const [folder, pid] = /^svc-check-(\d+)-/.exec(name) ?? [];
    return folder !== undefined && !isAlive(Number(pid)) ? [path.join(tmpdir(), folder)] : [];
  });
  for (const folder of new Set(left)) killProcessesByVariable(`SVC_CHECK_DIR=${folder}`);
  removeLeftTreesHere();
}

function removeLeftTreesHere(): void {
  let root: string;
  try {
    root = runGit(process.cwd(), 'rev-parse', '--show-toplevel');
  } catch {
    return;
  }
  removeLeftoverWorkTrees(root);
}

export function removeLeftoverWorkTrees(root: string): void {
  const own = path.join(root, CHECK_FOLDER);
  requireSafeCheckFolder(own);
  for (const name of existsSync(own) ? readdirSync(own) : []) {
    const [, pid] = /^base-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) removeWorkTree(root, path.join(own, name));
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return Object(error).code === 'EPERM';
  }
}
