import { once } from 'node:events';
import { readdirSync, readFileSync, watch } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runBeside, runCommand } from '../../support/run-command.ts';
import { emptyFolder, fileOf, runToEnd, SpawnedProgram, untilEnded } from '../spawned-program.ts';

const node = (script: string) => ['exec', '--', process.execPath, '-e', script];

it('runs a command against a fresh emulator whose address stands in its variables [I149 I236]', async () => {
  const script = `
      const { SVC_BASE_URL, SVC_API_KEY, OPENAI_BASE_URL, OPENAI_API_KEY } = process.env;
      const { SVC_EMULATOR_HOST, SVC_EMULATOR_PORT, SVC_EMULATOR_CONTROL_TOKEN: token } = process.env;
      const headers = { authorization: 'Bearer ' + OPENAI_API_KEY };
      const account = await (await fetch(OPENAI_BASE_URL + '/account', { headers })).json();
      const named = 'http://' + SVC_EMULATOR_HOST + ':' + SVC_EMULATOR_PORT === SVC_BASE_URL && token.length > 8;
      console.log(JSON.stringify({ credits: account.credits, named, same: OPENAI_BASE_URL === SVC_BASE_URL + '/v1' && SVC_API_KEY === OPENAI_API_KEY }));`;
  const { exitCode, stdout, stderr } = await runBeside([], ['-e', script]);
  expect(stderr).toMatch(/^The run made 1 request and cost 0 credits \(0 charges, 0 refunds\)\.\n/);
  expect(JSON.parse(stdout)).toEqual({ credits: 100_000, named: true, same: true });
  expect(exitCode).toBe(0);
});

it.each([
  ["the command's own exit code", node('process.exit(7)'), 7, 'The run made no request'],
  ['128 and the number of its signal', node("process.kill(process.pid, 'SIGKILL')"), 137, 'The run made no request'],
  ['127 where there is no such command', ['exec', '--', 'no-such'], 127, 'There is no command "no-such"'],
])('ends with %s [I149]', async (_what, line, code, told) => {
  const { exitCode, stderr } = await runCommand(line);
  expect([exitCode, stderr]).toEqual([code, expect.stringContaining(told)]);
});

it('passes the options of the emulator on, and what stands behind the dashes to the command [I149]', async () => {
  const script = `
    const headers = { authorization: 'Bearer ' + process.env.SVC_API_KEY };
    const { credits } = await (await fetch(process.env.SVC_BASE_URL + '/v1/account', { headers })).json();
    console.log(credits, process.argv.slice(1).join(' '));`;
  expect((await runBeside(['--credits', '70'], ['-e', script, 'a', '--port=1'])).stdout).toBe('70 a --port=1\n');
});

const PROXY = { HTTP_PROXY: 'http://127.0.0.1:9', ALL_PROXY: 'http://127.0.0.1:9', NODE_USE_ENV_PROXY: '1' };

it.each([
  ['no list', {}, '127.0.0.1,localhost,::1'],
  ['a list', { NO_PROXY: 'corp.example, 10.0.0.1' }, 'corp.example,10.0.0.1,127.0.0.1,localhost,::1'],
  ['a list in small letters', { no_proxy: '*' }, '*'],
])('keeps a command with %s of hosts without a proxy from sending its requests to one', async (_what, env, list) => {
  const script = `
    const { NO_PROXY, no_proxy, SVC_BASE_URL, SVC_API_KEY } = process.env;
    const headers = { authorization: 'Bearer ' + SVC_API_KEY };
    const { status } = await fetch(SVC_BASE_URL + '/v1/account', { headers });
    console.log(JSON.stringify([NO_PROXY, no_proxy, status]));`;
  const { stdout, exitCode } = await runBeside([], ['-e', script], { env: { ...PROXY, ...env } });
  expect([exitCode, JSON.parse(stdout)]).toEqual([0, [list, list, 200]]);
});

const HELD = `
  const { writeFileSync } = require('node:fs');
  const [file, stays] = process.argv.slice(1);
  process.on('SIGTERM', () => { if (stays !== 'stays') process.exit(5); console.log('heard'); });
  setInterval(() => {}, 1000);
  writeFileSync(file, process.env.SVC_BASE_URL);
  console.log('up');`;

async function heldCommand(stays: string) {
  const file = path.join(emptyFolder(), 'url');
  const program = new SpawnedProgram(['exec', '--', process.execPath, '-e', HELD, file, stays]);
  await said(program, 'up');
  return { program, url: readFileSync(file, 'utf8') };
}

const said = (program: SpawnedProgram, word: string) =>
  program.heard('stdout', (text) => text.includes(word) || undefined);

it('passes a signal on, and leaves no port open behind [I149]', async () => {
  const { program, url } = await heldCommand('goes');
  expect(await program.stop()).toBe(5);
  await expect(fetch(url)).rejects.toThrow();
});

it('kills at the second signal a command that ignores the first [I149]', async () => {
  const { program, url } = await heldCommand('stays');
  program.child.kill('SIGTERM');
  await said(program, 'heard');
  // Another than the first: the same one again, as soon as this, would be its echo.
  expect(await program.stop('SIGINT')).toBe(137);
  await expect(fetch(url)).rejects.toThrow();
});

it('kills with a command what that has started itself [I149]', async () => {
  const file = fileOf('pid', '');
  const inner = `process.on('SIGTERM', () => {}); require('node:fs').writeFileSync(${JSON.stringify(file)}, String(process.pid)); console.log('up'); setInterval(() => {}, 1000)`;
  const outer = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(inner)}], { stdio: 'inherit' }); process.on('SIGTERM', () => console.log('heard')); setInterval(() => {}, 1000)`;
  const program = new SpawnedProgram(node(outer));
  await said(program, 'up');
  program.child.kill('SIGTERM');
  await said(program, 'heard');
  await program.stop('SIGINT');
  await untilEnded(Number(readFileSync(file, 'utf8')));
});

it('ends with a command what that has left running behind it [I149]', async () => {
  const script = `
    const { spawn } = require('node:child_process');
    const left = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    console.log(left.pid);
    left.unref();`;
  const { exitCode, stdout } = await runToEnd(node(script));
  expect(exitCode).toBe(0);
  await untilEnded(Number(stdout));
});

it('starts no command when the signal comes before it, and leaves nothing behind [I149]', async () => {
  const folder = emptyFolder();
  const program = new SpawnedProgram(node("console.log('ran')"), { TMPDIR: folder });
  // The folder is made before the emulator listens, and the signals are held before that.
  await appeared(folder);
  expect(await program.stop()).toBe(143);
  expect(program.stdout).toBe('');
  expect(readdirSync(folder)).toEqual([]);
});

it('lets a second interrupt do no harm while the emulator is closed [I149]', async () => {
  const folder = emptyFolder();
  const script = "process.on('SIGINT', () => process.exit(3)); setInterval(() => {}, 1000); console.log('up')";
  const program = new SpawnedProgram(node(script), { TMPDIR: folder });
  await said(program, 'up');
  program.child.kill('SIGINT');
  program.child.kill('SIGINT');
  expect([3, 137]).toContain(await program.stop('SIGINT'));
  expect(readdirSync(folder)).toEqual([]);
});

async function appeared(folder: string): Promise<void> {
  const watcher = watch(folder);
  try {
    if (readdirSync(folder).length === 0) await once(watcher, 'change');
  } finally {
    watcher.close();
  }
}
