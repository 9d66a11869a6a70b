import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { startedAs } from '../../../src/cli/check/explore-world.ts';
import { runCommand } from '../../support/run-command.ts';
import { emptyFolder, folderOf, runToEnd } from '../spawned-program.ts';
import { asking, explored } from './explored-story.ts';

/** Orders an image, with an endpoint that hears of it. */
const IMAGE = asking(`
const { createServer } = await import('node:http');
const server = createServer((request, response) => request.resume().on('end', () => response.writeHead(204).end()));
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const heard = new Promise((resolve) => server.once('request', (_, response) => response.once('close', resolve)));
const hook = { url: 'http://127.0.0.1:' + server.address().port, events: ['image.generation.succeeded'] };
await post('/v1/webhooks', hook).then((answer) => answer.text());
const answer = await post('/v1/images/generations', { prompt: 'a lighthouse' });
if (answer.status !== 200) process.exit(1);
// A body that is not read keeps the process alive until its connection ends.
await answer.text();
await heard;
server.close();
`);

it('tries no end of a job on an image, which has none of its own, and goes through to the end [I260]', async () => {
  const kinds = ['unpolled', 'instant', 'spelled'].flatMap((kind) => ['--only', kind]);
  const { exitCode, report, stderr } = await explored(IMAGE, [...kinds, '--budget', '0', '--bound', '1']);
  expect(stderr).not.toContain('can never strike');
  expect(report.plain.steps).toContain('job image #1');
  expect(report).toMatchObject({ schedules_left: 0, findings: [] });
  expect(report.error).toBeUndefined();
  expect(Object.keys(report.by_deviation).toSorted()).toEqual(['spelled']);
  expect(exitCode).toBe(0);
});

it('ends with 70 for a fault of its own, with what was done until then in its reports [I260]', async () => {
  // A temporary folder that is taken away leaves no room for the next run.
  const temporary = emptyFolder();
  const taken = asking(`
const { appendFileSync, readFileSync, rmSync } = await import('node:fs');
await ask().catch(() => undefined);
appendFileSync('turns', 'x');
if (readFileSync('turns', 'utf8').length > 5) rmSync(process.env.TMPDIR, { recursive: true, force: true });
`);
  const { exitCode, report, xml, stderr } = await explored(
    taken,
    ['--expect-failure', '*', '--budget', '0'],
    (line, folder) => runToEnd(line, { TMPDIR: temporary }, folder),
  );
  expect(exitCode).toBe(70);
  expect(stderr).toContain('An inner fault of explore, which says nothing of what it ran: ');
  expect(report.error).toMatchObject({ exit_code: 70, message: expect.stringContaining('inner fault') });
  expect(report.schedules_run).toBeGreaterThan(0);
  expect(report.plain.steps).toEqual(['POST /v1/chat/completions #1']);
  expect(xml).toContain('errors="1"');
});

it('leaves no file where a report cannot be written [I254]', async () => {
  const folder = emptyFolder();
  const args = ['--report', 'found.json', '--report', 'no/such/folder.json', '--', 'node', '-e', '1'];
  const { exitCode, stderr } = await runCommand(['explore', ...args], {}, folder);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--report is no/such/folder.json')]);
  expect(existsSync(path.join(folder, 'found.json'))).toBe(false);
});

const ONCE = asking('await ask();');

it.each([
  [['--budget', '1ms'], /^No scenario was tried: baseline runs took [\d.]+ of 0 s\. Give a longer --budget/],
  [['--only', 'unpolled', '--budget', '0'], /^No scenario was tried: the run has no step at which --only/],
  [
    '--schedules 1 --min-schedules 2 --only swapped --only empty_balance --expect-failure *'.split(' '),
    /^Only 1 scenario of 2 were tried: /,
  ],
])('ends with 3 where it has run too few schedules, and says why: %j [I259]', async (args, message) => {
  const { exitCode, report, stderr, stdout } = await explored(ONCE, args);
  expect(exitCode).toBe(3);
  expect(stderr).toContain(report.error.message);
  expect(report.error).toMatchObject({ exit_code: 3, message: expect.stringMatching(message) });
  if (report.schedules_run === 0) expect(stdout).not.toContain('nothing found');
});

/** Pays twice where an answer is lost, if it was given just these words. */
const GREEDY = asking(`
const words = process.argv.slice(2);
if (JSON.stringify(words) !== JSON.stringify(['two words', "it's", 'say "$HOME" \\\\ {a,b}', ''])) process.exit(9);
await ask().catch(() => ask());
`);

it('prints a replay line that a shell reads as it was given, and that shows the finding again [I261]', async () => {
  const folder = folderOf({ 'story.mjs': GREEDY });
  const words = ['node', 'story.mjs', 'two words', "it's", 'say "$HOME" \\ {a,b}', ''];
  const app = ['--start', 'node -e \'require("http").createServer((_, res) => res.end()).listen(process.env.PORT)\''];
  const given = [...app, '--ready', 'http://127.0.0.1:{port}/', '--probe', `echo '{"a": 1}'`, '--mask', 'my field'];
  const search = '--seed 3 --only lost_answer --no-saved --budget 0'.split(' ');
  const all = [...given, '--check', 'test "$SVC_EXPLORE" = 1', ...search];
  const found = await runToEnd(['explore', ...all, '--report', 'found.json', '--', ...words], {}, folder);
  expect(found.exitCode).toBe(1);
  const [, line = ''] = /^ {4}Again: (.*)$/m.exec(found.stdout) ?? [];
  for (const option of all.filter((word) => word.startsWith('--'))) expect(line).toContain(` ${option} `);
  expect(line).not.toContain('--report');
  const [finding] = JSON.parse(readFileSync(path.join(folder, 'found.json'), 'utf8')).findings;
  expect(finding.again).toBe(line);
  const { PATH = '', TMPDIR = '/tmp' } = process.env;
  const again = await new Promise<{ code: unknown; stdout: string }>((resolve) => {
    execFile('bash', ['-c', line], { cwd: folder, env: { PATH, TMPDIR } }, (error, stdout) =>
      resolve({ code: error?.code ?? 0, stdout }),
    );
  });
  expect(again.code).toBe(1);
  expect(again.stdout).toContain(` (${finding.kind})\n    ${finding.message}\n`);
  expect(again.stdout).toContain(`    Again: ${line}\n`);
});

const LINKED = '/home/me/shop/node_modules/.bin/svc-emulator';

it.each([
  [LINKED, { npm_lifecycle_script: 'svc-emulator "explore"' }, '/', ['npx', 'svc-emulator']],
  [LINKED, {}, '/home/me/shop/tests', ['npx', 'svc-emulator']],
  [LINKED, {}, '/home/me/shopping', [LINKED]],
  ['/usr/bin/svc-emulator', { PATH: '/bin:/usr/bin' }, '/home/me', ['svc-emulator']],
  ['/home/me/shop/dist/main.js', { npm_lifecycle_script: 'vitest' }, '/home/me/shop', ['node', 'dist/main.js']],
  ['/opt/svc/dist/main.js', {}, '/home/me', ['node', '/opt/svc/dist/main.js']],
])('starts %s with %j in %s again as %j', (file, env, cwd, words) => {
  expect(startedAs({ argv0: 'node', argv: ['node', file, 'explore'], execArgv: [], env }, cwd)).toEqual(words);
});
