import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder, runToEnd } from '../../cli/spawned-program.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const VITEST = path.join(ROOT, 'node_modules', 'vitest');

/** A story that orders a song; what it does when the answer does not come is its bug, or its mended form. */
const story = (otherwise: string) => `
const { SVC_BASE_URL, SVC_API_KEY } = process.env;
const headers = { authorization: 'Bearer ' + SVC_API_KEY, 'content-type': 'application/json' };
const body = JSON.stringify({ model: 'svc-music-one', prompt: 'rain', seconds: 30, n: 1 });
const order = () => fetch(SVC_BASE_URL + '/v1/music/generations', { method: 'POST', headers, body });
await order().catch(${otherwise});
`;

/** A project that has the emulator and Vitest, and a test of its own. */
function projectOf(test: string): string {
  const folder = emptyFolder();
  mkdirSync(path.join(folder, 'node_modules', '.bin'), { recursive: true });
  symlinkSync(VITEST, path.join(folder, 'node_modules', 'vitest'));
  symlinkSync(path.join(ROOT, 'dist', 'main.js'), path.join(folder, 'node_modules', '.bin', 'svc-emulator'));
  writeFileSync(path.join(folder, 'found.test.mjs'), `${test}\n`);
  return folder;
}

function runTests(folder: string): Promise<{ isPassed: boolean; output: string }> {
  const { PATH, HOME, TMPDIR } = process.env;
  const options = { cwd: folder, env: { PATH, HOME, TMPDIR, NO_COLOR: '1' } };
  return new Promise((resolve) => {
    execFile(process.execPath, [path.join(VITEST, 'vitest.mjs'), 'run'], options, (error, stdout, stderr) =>
      resolve({ isPassed: error === null, output: stdout + stderr }),
    );
  });
}

it('prints a test that fails on the broken story, and passes once that is mended [I251]', async () => {
  const folder = emptyFolder();
  const file = path.join(folder, 'story.mjs');
  writeFileSync(file, story('order'));
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
  const again = ['--probe', 'echo {}', '--', 'node', file];
  const { stdout } = await runToEnd(['explore', ...search, ...again], {}, folder);
  const [, printed = ''] = /^Vitest regression test:\n\n(.*)\n\nTried /ms.exec(stdout) ?? [];
  const [finding] = JSON.parse(readFileSync(path.join(folder, 'found.json'), 'utf8')).findings;
  expect(printed).toBe(finding.test);

  const project = projectOf(printed);
  const failed = await runTests(project);
  expect(failed.isPassed).toBe(false);
  expect(failed.output).toContain(`its answer is lost (${finding.kind})`);
  expect(failed.output).toContain(finding.message.slice(0, 100));
  expect(failed.output).toContain('survives lost_answer at POST /v1/music/generations #1');
  writeFileSync(file, story('() => {}'));
  expect(await runTests(project)).toMatchObject({ isPassed: true });
});
