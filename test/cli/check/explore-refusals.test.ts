import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { VERSION } from '../../../src/base/package/package-folder.ts';
import { writeToken } from '../../../src/check/app/token.ts';
import { freePort } from '../../support/free-port.ts';
import { runCommand } from '../../support/run-command.ts';
import { emptyFolder, folderOf, isRunning, runToEnd } from '../spawned-program.ts';

/** One paid message, and then what else is written. */
const chat = (more = '') => `
const { SVC_BASE_URL: base, SVC_API_KEY: key } = process.env;
const ask = (said) => fetch(base + '/v1/chat/completions', {
  method: 'POST', headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'svc-rp-mini', max_tokens: 4, messages: [{ role: 'user', content: said }] }),
}).then((answer) => answer.text());
await ask('Good evening.').catch(() => undefined);
${more}`;

const SHORT = ['--only', 'lost_request', '--budget', '0', '--jobs', '1', '--no-saved'];

/** Explores a story that is written down in a folder of its own. */
async function explored(text: string, args: readonly string[], run: typeof runCommand | typeof runToEnd = runCommand) {
  const folder = folderOf({ 'story.mjs': text });
  return { ...(await run(['explore', ...SHORT, ...args, '--', 'node', 'story.mjs'], {}, folder)), folder };
}

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
  [
    'is not the same twice',
    RANDOM,
    [],
    'The baseline run is not the same twice: only the second one took the step "POST ',
  ],
  [
    'has a token of another version',
    chat(),
    ['--replay', tokenOf({ version: '0.0.1' })],
    'The token is of version 0.0.1',
  ],
  [
    'allows what is no code of the verdict',
    chat(),
    ['--allow', 'paid_twice', '--allow', 'paid-again!'],
    '--allow is paid-again!, which is no code of the verdict. Did you mean paid_again? There are: retried_402, ',
  ],
  ['has a token of another story', chat(), ['--replay', tokenOf({})], 'The token belongs to another command'],
  [
    'has an app that ends',
    chat(),
    ['--start', 'echo no port; exit 4'],
    'ended before it was ready. It printed:\nno port',
  ],
  ['has a probe that fails', chat(), ['--probe', 'echo broken; exit 4'], 'failed with exit code 4. It printed: broken'],
  ['has a probe that is killed', chat(), ['--probe', 'kill -9 $$'], 'The probe (kill -9 $$) was ended by SIGKILL.'],
  ['has a probe without JSON', chat(), ['--probe', 'echo broken'], "printed no JSON; expected the app's state"],
])('ends with 2 where a story %s, and says what to do [I244 I248 I254]', async (_, text, args, message) => {
  const { exitCode, stderr } = await explored(text, args);
  expect(stderr).toContain(message);
  expect(exitCode).toBe(2);
  expect(stderr).not.toMatch(/^\s+at /m);
});

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
  const { exitCode, stderr, stdout } = await explored(listening, ['--jobs', '2', '--bound', '1']);
  expect(stderr.match(/Two runs at once interfere, so one runs at a time/g)).toHaveLength(1);
  expect(stdout).toMatch(/Tried all [1-9]\d* scenarios: no findings/);
  expect(exitCode).toBe(0);
});

it('ends what a story leaves behind, and says so once', async () => {
  const left = `
const { spawn } = await import('node:child_process');
const { appendFileSync } = await import('node:fs');
const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
appendFileSync('left', child.pid + '\\n');
child.unref();`;
  await expectEnded(left);
});

it('ends what has left the group of its story and holds a port, and says so once', async () => {
  const left = `
const { spawn } = await import('node:child_process');
const { appendFileSync } = await import('node:fs');
const listen = "require('node:net').createServer().listen(0, '127.0.0.1', function () { console.log(this.address().port) })";
const child = spawn(process.execPath, ['-e', listen], { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
await new Promise((resolve) => child.stdout.once('data', resolve));
appendFileSync('left', child.pid + '\\n');
child.stdout.destroy();
child.unref();`;
  await expectEnded(left);
});

/** Of a story that writes down the processes it leaves. */
async function expectEnded(left: string): Promise<void> {
  // What has left the group of its story is looked for among the processes of the machine.
  const { exitCode, stderr, folder } = await explored(chat(left), [], runToEnd);
  expect(exitCode).toBe(0);
  expect(stderr.match(/Your command left processes running; they were stopped/g)).toHaveLength(1);
  const pids = readFileSync(path.join(folder, 'left'), 'utf8').trim().split('\n').map(Number);
  expect(pids.length).toBeGreaterThanOrEqual(4);
  for (const pid of pids) expect(isRunning(pid)).toBe(false);
}

it.each([
  ['explore', 'SVC_EXPLORE'],
  ['explore', 'SVC_MUTATE'],
  ['mutate', 'SVC_EXPLORE'],
  ['mutate', 'SVC_MUTATE'],
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
