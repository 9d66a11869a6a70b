import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder, runToEnd } from '../../cli/spawned-program.ts';
import { SuiteFolder, VITEST } from '../../support/suite-folder.ts';

/** A story that orders a song; what it does when the answer does not come is its bug, or its mended form. */
const story = (otherwise: string) => `
const { SVC_BASE_URL, SVC_API_KEY } = process.env;
const headers = { authorization: 'Bearer ' + SVC_API_KEY, 'content-type': 'application/json' };
const body = JSON.stringify({ model: 'svc-music-one', prompt: 'rain', seconds: 30, n: 1 });
const order = () => fetch(SVC_BASE_URL + '/v1/music/generations', { method: 'POST', headers, body });
await order().catch(${otherwise});
`;

it('prints a test that fails on the broken story, and passes once that is mended [I251]', async () => {
  const folder = emptyFolder();
  const file = path.join(folder, 'story.mjs');
  writeFileSync(file, story('order'));
  const search = '--only lost_answer --stop-after 1 --jobs 1 --bound 1 --report found.json'.split(' ');
  const again = ['--probe', 'echo {}', '--', 'node', file];
  const { stdout } = await runToEnd(['explore', ...search, ...again], {}, folder);
  const [, printed = ''] = /^Vitest regression test:\n\n(.*)\n\nTried /ms.exec(stdout) ?? [];
  const [finding] = JSON.parse(readFileSync(path.join(folder, 'found.json'), 'utf8')).findings;
  expect(printed).toBe(finding.test);

  const project = new SuiteFolder({ 'found.test.mjs': `${printed}\n` });
  const runTests = () => project.runCommand(process.execPath, [VITEST, 'run'], { NO_COLOR: '1' });
  const failed = await runTests();
  expect(failed.code).toBe(1);
  expect(failed.output).toContain(`${finding.kind}: ${finding.message}`.slice(0, 100));
  expect(failed.output).toContain('survives lost_answer at POST /v1/music/generations #1');
  writeFileSync(file, story('() => {}'));
  expect(await runTests()).toMatchObject({ code: 0 });
});
