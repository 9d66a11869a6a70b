import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { commandHere } from '../../support/command-here.ts';
import { runCommand } from '../../support/run-command.ts';
import { runToEnd } from '../spawned-program.ts';
import { gitIn, repository, suiteOfFolder, TOKEN } from './ended-proof.ts';

const trees = (folder: string) => gitIn(folder)('worktree', 'list').trim().split('\n');

const FAILED = 'it failed (tolerates-changes)';

it.each([
  [
    'confirms a fix whose finding occurs on the base commit only',
    'strict',
    'open',
    0,
    `Proven: ${FAILED}`,
    'it passed',
  ],
  [
    'confirms no fix of a finding that does not occur on the base',
    'open',
    'open',
    1,
    'Not proven: it passed',
    'it passed',
  ],
  ['confirms no fix of a finding that still occurs with it', 'strict', 'strict', 1, `Not proven: ${FAILED}`, FAILED],
])('%s', async (_, onBase, suite, code, there, here) => {
  const folder = repository({ suite: onBase });
  writeFileSync(path.join(folder, 'suite'), suite);
  const command = await commandHere(suiteOfFolder);
  const line = ['check', '--prove', TOKEN, '--base', 'HEAD', '--report', 'proof.json', '--', ...command];
  const { exitCode, stdout } = await runToEnd(line, {}, folder);
  expect([exitCode, stdout]).toEqual([code, `${there} on HEAD, ${here} here.\n`]);
  const id = gitIn(folder)('rev-parse', 'HEAD').trim();
  expect(JSON.parse(readFileSync(path.join(folder, 'proof.json'), 'utf8'))).toMatchObject({
    proven: code === 0,
    base: { failed: onBase === 'strict', commit: { id, clean: true } },
    here: { failed: suite === 'strict', commit: { id, clean: suite === onBase } },
  });
  expect(trees(folder)).toHaveLength(1);
  expect(existsSync(path.join(folder, '.svc-check'))).toBe(true);
});

it('exits with 2 if --report of check --prove names an existing file that is not its report, and keeps the file', async () => {
  const folder = repository({ 'package.json': '{"name": "shop"}' });
  const line = ['check', '--prove', TOKEN, '--base', 'HEAD', '--report', 'package.json', '--', 'true'];
  const { exitCode, stderr } = await runCommand(line, {}, folder);
  const fault = 'package.json, which exists and is not a report of check --prove. Remove it, or name another file.';
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(fault)]);
  expect(readFileSync(path.join(folder, 'package.json'), 'utf8')).toBe('{"name": "shop"}');
});

it('exits with 2 and prints the message of the hook if a Git hook fails at the checkout, and leaves no work tree', async () => {
  const folder = repository({});
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
