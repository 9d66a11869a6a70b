import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { killMarkedProcesses } from '../../check/runner/left-processes.ts';
import { OWN_FOLDER, requireOwnFolder } from '../../check/saved-findings.ts';
import { PROOF_MARK as MARK, runGit } from './check-output.ts';

export function removeTree(root: string, tree: string): void {
  killMarkedProcesses(`${MARK}=${tree}`);
  rmSync(tree, { recursive: true, force: true, maxRetries: 3 });
  // Removes a lock first: Git locks a work tree while it creates it, and prunes no locked one.
  const { stdout } = spawnSync('git', ['rev-parse', '--git-path', 'worktrees'], { cwd: root, encoding: 'utf8' });
  rmSync(path.join(path.resolve(root, stdout.trim()), path.basename(tree), 'locked'), { force: true });
  spawnSync('git', ['worktree', 'prune'], { cwd: root, stdio: 'ignore' });
}

/** Ends processes and removes work trees that killed runs of `check` have left in this repository. */
export function removeLeftovers(): void {
  const left = readdirSync(tmpdir()).flatMap((name) => {
    const [folder, pid] = /^svc-check-(\d+)-/.exec(name) ?? [];
    return folder !== undefined && !isAlive(Number(pid)) ? [path.join(tmpdir(), folder)] : [];
  });
  for (const folder of new Set(left)) killMarkedProcesses(`SVC_CHECK_DIR=${folder}`);
  removeLeftTreesHere();
}

/** Does nothing outside a repository. */
function removeLeftTreesHere(): void {
  let root: string;
  try {
    root = runGit(process.cwd(), 'rev-parse', '--show-toplevel');
  } catch {
    return;
  }
  removeLeftTrees(root);
}

/** Ends processes and removes work trees of killed runs in the repository at `root`. */
export function removeLeftTrees(root: string): void {
  const own = path.join(root, OWN_FOLDER);
  requireOwnFolder(own);
  for (const name of existsSync(own) ? readdirSync(own) : []) {
    const [, pid] = /^base-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) removeTree(root, path.join(own, name));
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return Object(error).code === 'EPERM';
  }
}
