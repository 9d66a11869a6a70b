import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { lookUntil } from '../../support/look-until.ts';
import { runToEnd } from '../spawned-program.ts';
import { hungProof, leftBy } from './ended-proof.ts';

const isLinux = process.platform === 'linux';

it.runIf(isLinux).each([
  ['a hook of Git', 'SIGTERM', 143],
  ['--install', 'SIGINT', 130],
  ['the run on the commit', 'SIGHUP', 129],
] as const)(
  'stops check --prove during %s at the signal %s, with all its processes, and removes its work tree',
  async (phase, signal, code) => {
    const { folder, program, isThere } = hungProof(phase);
    await expect.poll(isThere, { timeout: 60_000 }).toBe(true);
    expect(await program.stop(signal)).toBe(code);
    // A killed process remains until the system removes it.
    await expect.poll(() => leftBy(folder)).toEqual([]);
  },
  120_000,
);

it.runIf(isLinux)(
  'removes, at the next check, the work tree that a killed check --prove left',
  async () => {
    const { folder, program, isThere } = hungProof('the run on the commit');
    await expect.poll(isThere, { timeout: 60_000 }).toBe(true);
    await program.stop('SIGKILL');
    // The run of the proof notices that its parent is gone, and stops the processes that it started.
    await lookUntil(() => leftBy(folder).every((left) => !/^\d+ /.test(left)));
    // Git leaves a lock if it is killed while it creates a work tree.
    const [tree = ''] = readdirSync(path.join(folder, '.svc-check')).filter((name) => name.startsWith('base-'));
    execFileSync('git', ['worktree', 'lock', path.join('.svc-check', tree)], { cwd: folder });
    await runToEnd(['check', '--', 'false'], {}, folder);
    expect(leftBy(folder)).toEqual([]);
  },
  120_000,
);
