import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { VERSION } from '../../../src/base/package/package-folder.ts';
import { SavedFindings } from '../../../src/check/saved-findings.ts';
import { readToken, writeToken } from '../../../src/check/token.ts';
import { runCommand } from '../../support/run-command.ts';
import { emptyFolder } from '../spawned-program.ts';

const SCENE = { kind: 'violation', name: 'refund.none', site: 'ledger' } as const;
const TOKEN = writeToken({ version: VERSION, seed: 1, check: 'tests-catch-violations', scene: SCENE });

function repository(): string {
  const folder = emptyFolder();
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: folder });
  git('init', '--quiet');
  git('commit', '--quiet', '--allow-empty', '-m', 'Begin');
  return folder;
}

const trees = (folder: string) =>
  execFileSync('git', ['worktree', 'list'], { cwd: folder, encoding: 'utf8' }).trim().split('\n');

it('refuses with 2 and the words of Git a commit whose hook fails, and leaves no work tree', async () => {
  const folder = repository();
  const hook = path.join(folder, '.git', 'hooks', 'post-checkout');
  mkdirSync(path.dirname(hook), { recursive: true });
  writeFileSync(hook, '#!/bin/sh\necho the hook says no >&2\nexit 7\n');
  chmodSync(hook, 0o755);
  const left = path.join(folder, '.svc-check', 'base-999999999-left');
  mkdirSync(left, { recursive: true });
  const line = ['check', '--prove', TOKEN, '--base', 'HEAD', '--', 'true'];
  const { exitCode, stderr } = await runCommand(line, {}, folder);

  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('the hook says no')]);
  expect(stderr).not.toContain('    at ');
  expect(trees(folder)).toHaveLength(1);
  expect(readdirSync(path.join(folder, '.svc-check'))).toEqual(['.gitignore']);
});

it('refuses a folder of its own that is a link, and a file of it that is a pipe', () => {
  const folder = emptyFolder();
  const other = emptyFolder();
  symlinkSync(other, path.join(folder, '.svc-check'));
  expect(() => new SavedFindings(folder).read(VERSION)).toThrow('is not a plain folder');
  expect(() => new SavedFindings(folder).keep([TOKEN], () => false)).toThrow('is not a plain folder');
  expect(readdirSync(other)).toEqual([]);
  const second = emptyFolder();
  mkdirSync(path.join(second, '.svc-check'));
  const file = path.join(second, '.svc-check', 'findings.json');
  execFileSync('mkfifo', [file]);
  expect(() => new SavedFindings(second).read(VERSION)).toThrow('it is a pipe');
  expect(existsSync(file)).toBe(true);
});

it('refuses a token of a fault that changes nothing', () => {
  const faults = [{ fault: 'status:999', step: 'POST /v1/chat/completions #1' }];
  const scene = { kind: 'fault', command: 'x', faults } as const;
  expect(readToken(writeToken({ version: VERSION, seed: 1, check: 'tests-catch-violations', scene }))).toBeUndefined();
});
