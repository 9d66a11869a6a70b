import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { regressionTest } from '../../../src/check/app/token.ts';
import { SuiteFolder, VITEST } from '../../support/suite-folder.ts';

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

/** A project with a printed test, in which the program leaves a file where it is started. */
function projectWith(test: string): SuiteFolder {
  const folder = new SuiteFolder({ 'found.test.mjs': `${test}\n` });
  const program = folder.file('node_modules/.bin/svc-emulator');
  rmSync(program);
  writeFileSync(program, '#!/bin/sh\necho started > started\n', { mode: 0o755 });
  return folder;
}

it.each([
  ['SVC_EXPLORE', false],
  ['SVC_MUTATE', false],
  ['CI', true],
])('prints a test that does not start again in the runs that it would make: with %s, %s', async (name, isStarted) => {
  const finding = { token: 'x1-abc', schedule: [{ step: 'endpoint', deviation: 'foreign' }] };
  const folder = projectWith(regressionTest([finding], { words: ['--', 'npx', 'vitest', 'run'] }));
  const { output } = await folder.runCommand(process.execPath, [VITEST, 'run'], { NO_COLOR: '1', CI: '', [name]: '1' });
  expect(output).toContain(isStarted ? '1 passed' : '1 skipped');
  expect(existsSync(folder.file('started'))).toBe(isStarted);
});
