import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { FixtureFolder } from '../support/fixture-folder.ts';
import { takenPort } from '../support/free-port.ts';
import { runCommand } from '../support/run-command.ts';
import { emptyFolder, fileOf, folderOf, startProgram } from './spawned-program.ts';

const STACK = /^\s+at /m;

/** Refuses it with the message alone. */
async function expectRefusal(line: readonly string[], code: number, message: RegExp): Promise<void> {
  const { exitCode, stdout, stderr } = await runCommand(line);
  expect({ exitCode, stdout, stderr }).toEqual({ exitCode: code, stdout: '', stderr: expect.stringMatching(message) });
  expect(stderr).not.toMatch(STACK);
}

it.each<[string, () => string | Promise<string>, number, RegExp]>([
  ['port', async () => `${await takenPort()}`, 1, /^svc-emulator: Port \d+ of 127\.0\.0\.1 is in use.*--port/],
  ['host', () => '192.0.2.1', 1, /192\.0\.2\.1.*--host/],
  [
    'profile',
    () => fileOf('slow.json', '{"models": {"svc-rp-mini": {"min": 3, "max": 1}}}'),
    2,
    /--profile is \S+slow\.json[\s\S]*models\.svc-rp-mini\.max: /,
  ],
  ['data-dir', () => fileOf('file', ''), 1, /^svc-emulator: The data folder .*file cannot be used/],
  [
    'fixtures',
    () => new FixtureFolder({ 'a.yaml': 'fixtures:\n  - name: x\n    answr: {}\n' }).path,
    2,
    /a\.yaml:3: Unknown field fixtures\.0\.answr\. Did you mean answer\?/,
  ],
])('rejects an invalid --%s, and names the fault and the remedy [I150]', async (flag, value, code, told) => {
  const usual = ['--port', '0', ...(flag === 'data-dir' ? [] : ['--ephemeral'])];
  await expectRefusal(['start', ...usual, `--${flag}`, await value()], code, told);
});

it('exits with 1 on a folder of another program, names it, and does not change it [I199 I150]', async () => {
  const folder = folderOf({ 'letter.txt': 'Dear reader' });
  const told = new RegExp(`The data folder ${folder} is not empty and was not made by svc-emulator.*--data-dir`);
  await expectRefusal(['start', '--port', '0', '--data-dir', folder], 1, told);
  expect(readdirSync(folder)).toEqual(['letter.txt']);
  expect(readFileSync(path.join(folder, 'letter.txt'), 'utf8')).toBe('Dear reader');
});

it('exits with 3 while another process uses the data folder, and leaves that process running [I150]', async () => {
  const folder = emptyFolder();
  const { url } = await startProgram(['--data-dir', folder]);
  const told = new RegExp(`The data folder ${folder} is in use by another svc-emulator`);
  await expectRefusal(['start', '--port', '0', '--data-dir', folder], 3, told);
  expect((await fetch(`${url}/v1/models`)).status).toBe(200);
});

it.each([
  [['start', '--prot', '1'], /unknown option '--prot'\s+\(Did you mean --port\?\)/],
  [['check', 'python3', '-m', 'pytest'], /^svc-emulator: unknown option '-m'\s+\(write the command after --\)/],
  [
    ['exec', '--reprot', 'x', 'npm', 'test'],
    /^svc-emulator: unknown option '--reprot'\s+\(Did you mean --report\?\)\s+\(see/,
  ],
  [['exec', '--nonsense', '--', 'npm'], /^svc-emulator: unknown option '--nonsense'\s+\(see/],
  [['exec'], /^svc-emulator: missing required argument 'command'\s+\(write the command after --\)/],
  [['call', 'getAccount'], /^svc-emulator: There is no operation getAccount\. svc-emulator call --list/],
  [['call', 'getClok'], /There is no operation getClok\. Did you mean getClock\?/],
  [['--ephemral'], /unknown option '--ephemral'\s+\(Did you mean --ephemeral\?\)/],
  [['strat'], /unknown command 'strat'\s+\(Did you mean start\?\)/],
  [['trace', 'save', 'x.html', '--acount', 'x'], /Did you mean --account\?\)\n\(see svc-emulator trace save --help\)/],
  [['start', 'surplus'], /too many arguments/],
  [['start', '--port'], /argument missing/],
  [['start', '--port', '70000'], /--port is "70000"; expected a whole number from 0 to 65535/],
  [['start', '--log', 'loud'], /--log is "loud"; expected pretty, json or silent/],
  [['start', '--max-disk', 'big'], /--max-disk is "big"; expected a size/],
])('exits with 2 for %j, and prints the correct usage [I150]', (args, message) => expectRefusal(args, 2, message));

it('exits with 2 for an invalid variable, and names it [I150 I148]', async () => {
  const { exitCode, stderr } = await runCommand(['start'], { SVC_EMULATOR_RATE_LIMIT: 'none' });
  expect(exitCode).toBe(2);
  expect(stderr).toContain('SVC_EMULATOR_RATE_LIMIT is "none"; expected a whole number');
});

it('exits with 0 after --version and --help; help lists every option with its default [I148 I150]', async () => {
  expect(await runCommand(['--version'])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
  const { exitCode, stdout } = await runCommand(['start', '--help']);
  expect(exitCode).toBe(0);
  for (const word of ['--port <number>', '(default: 5GiB)', 'SVC_EMULATOR_MAX_DISK']) expect(stdout).toContain(word);
});
