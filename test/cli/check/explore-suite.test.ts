import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runCommand } from '../../support/run-command.ts';
import { folderOf } from '../spawned-program.ts';

/** Three tests, each on an account of its own that is called as it; a fault rule refuses the image of the second. */
const SUITE = `
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
const base = process.env.SVC_BASE_URL;
const post = async (path, body, key) => {
  const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' };
  const answer = await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
};
async function test(name, work) {
  const { body: account } = await post('/_emulator/accounts', { name, plan: 'studio', credits: 100 });
  const draw = async (prompt) => (await post('/v1/images/generations', { prompt }, account.api_key)).status;
  await work({ account, draw });
}
await test('draws a lighthouse', async ({ draw }) => {
  assert.equal(await draw('a lighthouse'), 200);
  MORE
});
await test('is refused a picture', async ({ account, draw }) => {
  const match = { account_id: account.id, path: '/v1/images' };
  await post('/_emulator/faults', { match, effect: { status: 400 } });
  assert.equal(await draw(REFUSED), 400);
});
await test('draws a harbour', async ({ draw }) => assert.equal(await draw('a harbour'), 200));
`;

async function explored(suite: string) {
  const folder = folderOf({ 'suite.mjs': suite });
  const few = ['--schedules', '1', '--only', 'lost_answer', '--expect-failure', '*', '--no-saved', '--jobs', '1'];
  const command = ['--report', 'found.json', '--', 'node', 'suite.mjs'];
  const run = await runCommand(['explore', ...few, ...command], {}, folder);
  return { ...run, report: JSON.parse(readFileSync(path.join(folder, 'found.json'), 'utf8')) };
}

it.each(["'a picture'", "'a harbour'"])(
  'explores a suite in which one test has its image of %s refused and another follows',
  async (refused) => {
    const { exitCode, report } = await explored(SUITE.replace('REFUSED', refused).replace('MORE', ''));
    const images = report.plain.steps.filter((step: string) => /image/.test(step));
    expect(images.toSorted()).toEqual([
      ...[1, 2, 3].map((n) => `POST /v1/images/generations #${n}`),
      ...[1, 2].map((n) => `job image #${n}`),
    ]);
    expect(report).toMatchObject({ schedules_run: 1, findings: [] });
    expect(report.error).toBeUndefined();
    expect(exitCode).toBe(0);
  },
);

it('names the test and the request in which two plain runs differ, and lists what each of them did alone [I244]', async () => {
  // Runs are numbered by folders, which one run alone makes: of any two that begin one after the other one draws more.
  const numbered = "let run = 1;\nfor (;;) try { mkdirSync('run-' + run); break; } catch { run += 1; }\n";
  const suite = SUITE.replace('const base', () => `${numbered}const base`).replace('REFUSED', "'a picture'");
  const { exitCode, report, stderr } = await explored(
    suite.replace('MORE', "if (run % 2 === 0) await draw('a second one');"),
  );
  expect(exitCode).toBe(2);
  const lists = /Only the first baseline run took:\n((?: {2}.*\n)+)Only the second baseline run took:\n((?: {2}.*\n)+)/;
  const [, first = '', second = ''] = lists.exec(stderr) ?? [];
  const took = [first, second].toSorted((a, b) => a.length - b.length);
  expect(took[0]).toBe('  nothing\n');
  const line = (step: string) =>
    `  ${step} of account "draws a lighthouse": POST /v1/images/generations {"prompt":"a second one"}, answered 200`;
  expect(took[1]?.trimEnd().replace(/ #\d/g, '').split('\n')).toEqual(
    ['POST /v1/images/generations', 'job image'].map(line),
  );
  expect(stderr).toMatch(/only the \w+ one took the step "\S+ \S+ #\d" of account "draws a lighthouse"\./);
  expect(report.error).toMatchObject({ exit_code: 2 });
});
