import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { commandHere } from '../../support/command-here.ts';
import { untilFolder } from '../../support/folder-changes.ts';
import { runCommand } from '../../support/run-command.ts';
import { emptyFolder, fileOf, SpawnedProgram, untilEnded } from '../spawned-program.ts';

const shell = (script: string, ...args: string[]) => ['exec', '--', 'sh', '-c', script, ...args];

it('runs a command with a fresh emulator, whose address and key are in the environment variables of the command [I149]', async () => {
  const seen: object[] = [];
  const command = await commandHere(async (run) => {
    const { SVC_BASE_URL: base, SVC_API_KEY: key, OPENAI_BASE_URL, OPENAI_API_KEY } = run.env;
    const { SVC_EMULATOR_HOST: host, SVC_EMULATOR_PORT: port, SVC_EMULATOR_CONTROL_TOKEN: token = '' } = run.env;
    const { credits } = (await run.call('GET', '/v1/account')).body;
    const named = `http://${host}:${port}` === base && token.length > 8;
    seen.push({ credits, named, same: OPENAI_BASE_URL === `${base}/v1` && key === OPENAI_API_KEY });
  });
  const { exitCode, stderr } = await runCommand(['exec', '--', ...command], {}, emptyFolder());
  expect(stderr).toMatch(/^The run made 1 request and cost 0 credits \(0 charges, 0 refunds\)\.\n/);
  expect(seen).toEqual([{ credits: 100_000, named: true, same: true }]);
  expect(exitCode).toBe(0);
});

it.runIf(process.platform === 'linux')('names the reason if the command of exec cannot run', async () => {
  const script = fileOf('tests', '#!/no/such/sh\n');
  const ended = async () => {
    const { exitCode, stderr } = await runCommand(['exec', '--', script]);
    return [exitCode, stderr.split('\n')[0]];
  };
  expect(await ended()).toEqual([
    126,
    expect.stringContaining(`"${script}" cannot run: its file is not executable. Run chmod +x ${script}.`),
  ]);
  chmodSync(script, 0o755);
  expect(await ended()).toEqual([126, expect.stringContaining('cannot run: its loader /no/such/sh is missing.')]);
  const { exitCode, stderr } = await runCommand(['exec', '--', 'sh', '-c', 'x'.repeat(5_000_000)]);
  expect([exitCode, stderr]).toEqual([
    126,
    expect.stringMatching(/"sh" cannot run: .+\. Check that it runs in a shell\./),
  ]);
});

it('passes options such as --credits to the emulator, and the arguments after -- to the command [I149]', async () => {
  const file = fileOf('said', '');
  let credits = 0;
  const command = await commandHere(async (run) => {
    credits = (await run.call('GET', '/v1/account')).body.credits;
    run.end = 'printf "%s " "$@" > "$0"';
  });
  await runCommand(['exec', '--credits', '70', '--', ...command, file, 'a', '--port=1']);
  expect([credits, readFileSync(file, 'utf8')]).toEqual([70, 'a --port=1 ']);
});

const PROXY = { HTTP_PROXY: 'http://127.0.0.1:9', ALL_PROXY: 'http://127.0.0.1:9', NODE_USE_ENV_PROXY: '1' };

it.each([
  ['no list', {}, '127.0.0.1,localhost,::1'],
  ['a list', { NO_PROXY: 'corp.example, 10.0.0.1' }, 'corp.example,10.0.0.1,127.0.0.1,localhost,::1'],
  ['the list * in no_proxy', { no_proxy: '*' }, '*'],
])(
  'sets NO_PROXY and no_proxy so that the command reaches the emulator without a proxy, given %s',
  async (_what, env, list) => {
    const seen: unknown[] = [];
    const command = await commandHere(async (run) => seen.push(run.env.NO_PROXY, run.env.no_proxy));
    await runCommand(['exec', '--', ...command], { ...PROXY, ...env });
    expect(seen).toEqual([list, list]);
  },
);

/** A script that starts `inner`, runs until a signal ends it, and runs `atTerm` at SIGTERM. */
const heldScript = (atTerm: string, inner = '') => `
  trap '${atTerm}' TERM
  ${inner}
  echo "$SVC_BASE_URL" > "$0"
  echo up
  while :; do sleep 1000 & wait $!; done`;

async function heldCommand(script: string) {
  const file = path.join(emptyFolder(), 'url');
  const program = new SpawnedProgram(shell(script, file));
  await said(program, 'up');
  return { program, url: readFileSync(file, 'utf8').trim() };
}

const said = (program: SpawnedProgram, word: string) =>
  program.heard('stdout', (text) => text.includes(word) || undefined);

it('passes a signal on to the command of exec, and leaves no open port [I149]', async () => {
  const { program, url } = await heldCommand(heldScript('exit 5'));
  expect(await program.stop()).toBe(5);
  await expect(fetch(url)).rejects.toThrow();
});

it('kills, at the second signal, a command that ignores the first, with its child process [I149]', async () => {
  const file = fileOf('pid', '');
  const inner = `sh -c 'trap "" TERM INT; echo $$ > ${file}; echo inner; while :; do sleep 1000; done' &`;
  const { program, url } = await heldCommand(heldScript('echo heard', inner));
  await said(program, 'inner');
  program.child.kill('SIGTERM');
  await said(program, 'heard');
  // A different signal than the first, because an immediate repetition counts as the same signal.
  expect(await program.stop('SIGINT')).toBe(137);
  await expect(fetch(url)).rejects.toThrow();
  await untilEnded(Number(readFileSync(file, 'utf8')));
});

/** Blocks a process after it has created its temporary folder, until the file exists. */
const waitsFor = (file: string) => `
const fs = require('node:fs');
const make = fs.mkdtempSync;
fs.mkdtempSync = (...given) => {
  const folder = make(...given);
  while (!fs.existsSync('${file}')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  return folder;
};
require('node:module').syncBuiltinESMExports();`;

it('starts no command if exec receives a signal while its emulator starts, and leaves no files [I149]', async () => {
  const folder = emptyFolder();
  const goOn = path.join(emptyFolder(), 'go-on');
  const env = { TMPDIR: folder, NODE_OPTIONS: `--require ${fileOf('wait.cjs', waitsFor(goOn))}` };
  const program = new SpawnedProgram(shell('echo ran'), env);
  // The folder is created before the emulator listens, and signals are deferred from before that.
  await untilFolder(folder, () => readdirSync(folder).length > 0);
  const ended = program.stop();
  writeFileSync(goOn, '');
  expect(await ended).toBe(143);
  expect(program.stdout).toBe('');
  expect(readdirSync(folder)).toEqual([]);
});

it('leaves no files if exec is interrupted three times in a row [I149]', async () => {
  const folder = emptyFolder();
  const script = 'trap "exit 3" INT; echo up; sleep 1000 & wait';
  const program = new SpawnedProgram(shell(script), { TMPDIR: folder });
  await said(program, 'up');
  program.child.kill('SIGINT');
  program.child.kill('SIGINT');
  expect([3, 137]).toContain(await program.stop('SIGINT'));
  expect(readdirSync(folder)).toEqual([]);
});
