import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { regressionTest } from '../../../src/check/app/token.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';

it('prints a test of a function, and words that hold any character', () => {
  const finding = { token: 'x1-abc', schedule: [{ step: 'endpoint', deviation: 'foreign' }] };
  expect(regressionTest([finding, finding]).split('\n')).toEqual([
    "import { exploreTest } from 'svc-emulator/vitest';",
    ...['', "exploreTest('survives foreign at endpoint', story, { replay: 'x1-abc' });"],
    ...['', "exploreTest('survives foreign at endpoint', story, { replay: 'x1-abc' });"],
  ]);
  const words = ["it's", 'a "b"', 'c\\d', 'e\nf'];
  const [, list = ''] = /const words = (\[.*\]);/.exec(regressionTest([finding], { words: ['--', ...words] })) ?? [];
  const literals = [...list.matchAll(/'[^'\\]*'|"(?:[^"\\]|\\.)*"/g)].map(([text]) =>
    text.startsWith("'") ? text.slice(1, -1) : JSON.parse(text),
  );
  expect(literals).toEqual(['svc-emulator', 'explore', '--replay', 'x1-abc', '--', ...words]);
});

const VITEST = path.join(import.meta.dirname, '..', '..', '..', 'node_modules', 'vitest');

/** A project with a printed test, in which the program leaves a file where it is started. */
function projectWith(test: string): string {
  const folder = emptyFolder();
  const program = path.join(folder, 'node_modules', '.bin', 'svc-emulator');
  mkdirSync(path.dirname(program), { recursive: true });
  symlinkSync(VITEST, path.join(folder, 'node_modules', 'vitest'));
  writeFileSync(program, '#!/bin/sh\necho started > started\n');
  chmodSync(program, 0o755);
  writeFileSync(path.join(folder, 'found.test.mjs'), `${test}\n`);
  return folder;
}

it.each([
  ['SVC_EXPLORE', false],
  ['SVC_MUTATE', false],
  ['CI', true],
])('prints a test that does not start again in the runs that it would make: with %s, %s', async (name, isStarted) => {
  const finding = { token: 'x1-abc', schedule: [{ step: 'endpoint', deviation: 'foreign' }] };
  const folder = projectWith(regressionTest([finding], { words: ['--', 'npx', 'vitest', 'run'] }));
  const { PATH, HOME, TMPDIR } = process.env;
  const options = { cwd: folder, env: { PATH, HOME, TMPDIR, NO_COLOR: '1', [name]: '1' } };
  const told = await new Promise<string>((resolve) => {
    execFile(process.execPath, [path.join(VITEST, 'vitest.mjs'), 'run'], options, (_, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
  expect(told).toContain(isStarted ? '1 passed' : '1 skipped');
  expect(existsSync(path.join(folder, 'started'))).toBe(isStarted);
});
