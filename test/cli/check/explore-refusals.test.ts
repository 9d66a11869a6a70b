import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { VERSION } from '../../../src/base/package/package-folder.ts';
import { writeToken } from '../../../src/check/app/token.ts';
import { freePort } from '../../support/free-port.ts';
import { runCommand } from '../../support/run-command.ts';
import { emptyFolder, runToEnd, untilEnded } from '../spawned-program.ts';
import { asking, explored } from './explored-story.ts';

/** One paid message, and then what else is written. */
const chat = (more = '') => asking(`await ask().catch(() => undefined);\n${more}`);

const SHORT = ['--only', 'lost_request', '--budget', '0'];

const tokenOf = (of: { version?: string }) =>
  writeToken({
    ...{ version: VERSION, seed: 1, story: 'deadbeef', ...of },
    schedule: [{ step: 'POST /v1/chat/completions #1', deviation: 'lost_request' }],
  });

const RANDOM = chat(`
const { appendFileSync, readFileSync } = await import('node:fs');
appendFileSync('turns', 'x');
for (let turn = 0; turn < readFileSync('turns', 'utf8').length; turn += 1) await ask('Again ' + turn);`);

it.each([
  ['fails by itself', asking('process.exit(3)'), [], 'The baseline run fails'],
  ['takes no step', '1', [], 'The baseline run took no step'],
  ['never ends', 'setTimeout(() => {}, 600_000)', ['--budget', '1s'], 'The baseline run did not end within 3 seconds'],
  [
    'is not the same twice',
    RANDOM,
    [],
    'The baseline run is not the same twice: only the second one took the step "POST ',
  ],
  ['is given a name that is none', asking(), ['--only', 'lost_anser'], 'There is no deviation "lost_anser"'],
  ['is given an option out of range', asking(), ['--bound', '9'], '--bound is 9'],
  ['is given a token that is none', asking(), ['--replay', 'x1-abc'], '--replay is x1-abc'],
  [
    'has a token of another version',
    chat(),
    ['--replay', tokenOf({ version: '0.0.1' })],
    'The token is of version 0.0.1',
  ],
  ['has a token of another story', chat(), ['--replay', tokenOf({})], 'The token belongs to another command'],
  [
    'allows what is no code of the verdict',
    chat(),
    ['--allow', 'paid_twice', '--allow', 'paid-again!'],
    '--allow is paid-again!, which is no code of the verdict. Did you mean paid_again? There are: retried_402, ',
  ],
  [
    'has an app that ends',
    chat(),
    ['--start', 'echo no port >&2; exit 4'],
    'ended before it was ready. It printed:\nno port',
  ],
  ['has a probe that fails', chat(), ['--probe', 'echo broken; exit 4'], 'failed with exit code 4. It printed: broken'],
  ['has a probe that is killed', chat(), ['--probe', 'kill -9 $$'], 'The probe (kill -9 $$) was ended by SIGKILL.'],
  ['has a probe without JSON', chat(), ['--probe', 'echo broken'], "printed no JSON; expected the app's state"],
])(
  'ends with 2 where a story %s, and says what to do, in its reports too [I244 I245 I248 I255]',
  async (_, text, args, message) => {
    const { exitCode, report, stderr, xml } = await explored(text, [...SHORT, ...args]);
    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(report).toMatchObject({ schedules_run: 0, findings: [], error: { exit_code: 2 } });
    expect(report.error.message).toContain(message);
    expect(xml).toContain('<error type="exit 2"');
  },
);

it('runs a story that always takes one port one at a time, and says so once', async () => {
  const port = await freePort();
  const meeting = emptyFolder();
  // All but the first run, which goes on alone, hold the port until another run was refused it: two meet on any machine.
  const listening = `
const { appendFileSync, existsSync, readFileSync, watch, writeFileSync } = await import('node:fs');
const { once } = await import('node:events');
const { createServer } = await import('node:net');
const server = createServer();
const refused = ${JSON.stringify(path.join(meeting, 'refused'))};
const started = ${JSON.stringify(path.join(meeting, 'started'))};
appendFileSync(started, 'x');
const isFirst = readFileSync(started, 'utf8').length === 1;
await new Promise((resolve, reject) => server.once('error', reject).listen(${port}, '127.0.0.1', resolve)).catch((error) => {
  writeFileSync(refused, '');
  throw error;
});
const watcher = watch(${JSON.stringify(meeting)});
while (!isFirst && !existsSync(refused)) await once(watcher, 'change');
watcher.close();
${chat("for (let turn = 0; turn < 5; turn += 1) await ask('Again ' + turn).catch(() => undefined);")}
server.close();`;
  const { exitCode, stderr, stdout } = await explored(listening, [...SHORT, '--jobs', '2', '--bound', '1']);
  expect(stderr.match(/Two runs at once interfere, so one runs at a time/g)).toHaveLength(1);
  expect(stdout).toMatch(/Tried all [1-9]\d* scenarios: no findings/);
  expect(exitCode).toBe(0);
});

const LISTEN =
  "require('node:net').createServer().listen(0, '127.0.0.1', function () { console.log(this.address().port) })";

it.each([
  ['a story leaves behind', 'setInterval(() => {}, 1000)', "{ stdio: 'ignore' }", ''],
  [
    'has left the group of its story and holds a port',
    LISTEN,
    "{ stdio: ['ignore', 'pipe', 'ignore'], detached: true }",
    "await new Promise((resolve) => child.stdout.once('data', resolve));\nchild.stdout.destroy();",
  ],
])('ends what %s, and says so once', async (_, script, options, then) => {
  const left = `
const { spawn } = await import('node:child_process');
const { appendFileSync } = await import('node:fs');
const child = spawn(process.execPath, ['-e', ${JSON.stringify(script)}], ${options});
${then}
appendFileSync('left', child.pid + '\\n');
child.unref();`;
  // What has left the group of its story is looked for among the processes of the machine.
  const run = (line: readonly string[], folder: string) => runToEnd(line, {}, folder);
  const { exitCode, stderr, folder } = await explored(chat(left), SHORT, run);
  expect(exitCode).toBe(0);
  expect(stderr.match(/Your command left processes running; they were stopped/g)).toHaveLength(1);
  const pids = readFileSync(path.join(folder, 'left'), 'utf8').trim().split('\n').map(Number);
  expect(pids.length).toBeGreaterThanOrEqual(4);
  for (const pid of pids) await untilEnded(pid);
});

it.each([
  ['explore', 'SVC_EXPLORE'],
  ['explore', 'SVC_MUTATE'],
  ['mutate', 'SVC_EXPLORE'],
  ['mutate', 'SVC_MUTATE'],
  ['check', 'SVC_EXPLORE'],
  ['check', 'SVC_MUTATE'],
])('refuses %s in a run that has %s, in one sentence, and starts nothing', async (use, name) => {
  const line = [use, '--', process.execPath, '-e', 'require("node:fs").writeFileSync("ran", "")'];
  const folder = emptyFolder();
  const { exitCode, stderr } = await runCommand(line, { [name]: '1' }, folder);
  const around = name === 'SVC_EXPLORE' ? 'explore' : 'mutate';
  expect([exitCode, stderr]).toEqual([
    2,
    `svc-emulator: This is a run of ${around}, and ${use} inside it would start in every one of its runs: skip it where ${name} is 1.\n`,
  ]);
  expect(readdirSync(folder)).toEqual([]);
});
