import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { regressionTest } from '../../src/explore/regression-test.ts';
import { emptyFolder, runToEnd } from '../cli/spawned-program.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const VITEST = path.join(ROOT, 'node_modules', 'vitest');
const AGAIN = 'orders again after a lost answer';

type Changes = readonly (readonly string[])[];
const nearby = (file: string) => import(new URL(file, import.meta.url).href);
const { copyOf }: { copyOf(app: string, name: string, changes: Changes): string } = await nearby('./broken-copy.mjs');
const { BROKEN }: { BROKEN: Record<string, Changes> } = await nearby('./shop/broken.mjs');

/** A project that has the emulator and Vitest, and a test of its own. */
function projectOf(test: string): string {
  const folder = emptyFolder();
  mkdirSync(path.join(folder, 'node_modules', '.bin'), { recursive: true });
  symlinkSync(VITEST, path.join(folder, 'node_modules', 'vitest'));
  symlinkSync(path.join(ROOT, 'dist', 'main.js'), path.join(folder, 'node_modules', '.bin', 'svc-emulator'));
  writeFileSync(path.join(folder, 'found.test.mjs'), `${test}\n`);
  return folder;
}

function runTests(folder: string): Promise<{ isPassed: boolean; told: string }> {
  const { PATH, HOME, TMPDIR } = process.env;
  const options = { cwd: folder, env: { PATH, HOME, TMPDIR, NO_COLOR: '1' } };
  return new Promise((resolve) => {
    execFile(process.execPath, [path.join(VITEST, 'vitest.mjs'), 'run'], options, (error, stdout, stderr) =>
      resolve({ isPassed: error === null, told: stdout + stderr }),
    );
  });
}

it('prints a test that fails on the broken shop, and passes once that is mended [I251]', async () => {
  const broken = copyOf('shop', 'pasted test', BROKEN[AGAIN] ?? []);
  const folder = emptyFolder();
  const beside = (file: string) => `node ${path.join(import.meta.dirname, 'shop', file)}`;
  const app = ['--start', `node ${broken}`, '--ready', 'http://127.0.0.1:{port}/ready', '--probe', beside('probe.mjs')];
  const search = [
    '--only',
    'lost_answer',
    '--stop-after',
    '1',
    '--jobs',
    '1',
    '--bound',
    '1',
    '--report',
    'found.json',
  ];
  const { stdout } = await runToEnd(['explore', ...app, ...search, '--', beside('story.mjs')], {}, folder);
  const [, printed = ''] = /^As a regression test of Vitest:\n\n(.*)\n\n\d+ schedules run/ms.exec(stdout) ?? [];
  const [finding] = JSON.parse(readFileSync(path.join(folder, 'found.json'), 'utf8')).findings;
  expect(printed).toBe(finding.test);

  const project = projectOf(printed);
  const failed = await runTests(project);
  expect(failed.isPassed).toBe(false);
  expect(failed.told).toContain(`${finding.kind}: ${finding.message}`.slice(0, 100));
  expect(failed.told).toContain('stands lost_answer at POST /v1/music/generations #1');
  copyOf('shop', 'pasted test', []);
  expect(await runTests(project)).toMatchObject({ isPassed: true });
});

it('prints a test of a function, and words that hold any character', () => {
  const finding = { token: 'x1-abc', schedule: [{ step: 'endpoint', deviation: 'foreign' }] };
  expect(regressionTest([finding, finding]).split('\n')).toEqual([
    "import { exploreTest } from 'svc-emulator/vitest';",
    ...['', "exploreTest('stands foreign at endpoint', story, { replay: 'x1-abc' });"],
    ...['', "exploreTest('stands foreign at endpoint', story, { replay: 'x1-abc' });"],
  ]);
  const words = ["it's", 'a "b"', 'c\\d', 'e\nf'];
  const [, list = ''] = /execFileSync\('npx', (\[.*\]), /.exec(regressionTest([finding], ['--', ...words])) ?? [];
  const literals = [...list.matchAll(/'[^'\\]*'|"(?:[^"\\]|\\.)*"/g)].map(([text]) =>
    text.startsWith("'") ? text.slice(1, -1) : JSON.parse(text),
  );
  expect(literals).toEqual(['svc-emulator', 'explore', '--replay', 'x1-abc', '--', ...words]);
});
