import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { takenPort } from '../support/free-port.ts';
import { runCommand } from '../support/run-command.ts';
import { emptyFolder, fileOf, folderOf, startProgram } from './spawned-program.ts';

const STACK = /^\s+at /m;

it('ends with 1 when its port is in use, and says by which setting to change it [I150]', async () => {
  const port = await takenPort();
  const { exitCode, stdout, stderr } = await runCommand(['start', '--ephemeral', '--port', `${port}`]);
  expect(exitCode).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toMatch(new RegExp(`^svc-emulator: Port ${port} of 127.0.0.1 is in use.*--port`));
  expect(stderr).not.toMatch(STACK);
});

it('ends with 1 when the machine has no such address [I150]', async () => {
  const { exitCode, stderr } = await runCommand(['start', '--ephemeral', '--host', '192.0.2.1', '--port', '0']);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/192\.0\.2\.1.*--host/);
  expect(stderr).not.toMatch(STACK);
});

it('ends with 2 on a broken latency profile, and names file and field [I150]', async () => {
  const file = fileOf('slow.json', '{"models": {"svc-rp-mini": {"min": 3, "max": 1}}}');
  const { exitCode, stderr } = await runCommand(['start', '--ephemeral', '--profile', file]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`--profile names ${file}`);
  expect(stderr).toContain('models.svc-rp-mini.max: ');
  expect(stderr).not.toMatch(STACK);
});

it('ends with 1 on a folder of another program, names it and leaves it as it was [I199 I150]', async () => {
  const folder = folderOf({ 'letter.txt': 'Dear reader' });
  const { exitCode, stderr } = await runCommand(['start', '--port', '0', '--data-dir', folder]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`The data folder ${folder} is not empty and was not made by svc-emulator`);
  expect(stderr).toContain('--data-dir');
  expect(readdirSync(folder)).toEqual(['letter.txt']);
  expect(readFileSync(path.join(folder, 'letter.txt'), 'utf8')).toBe('Dear reader');
});

it('ends with 1 when the data folder is a file [I150]', async () => {
  const file = fileOf('file', '');
  const { exitCode, stderr } = await runCommand(['start', '--port', '0', '--data-dir', file]);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^svc-emulator: The data folder .*file cannot be used/);
  expect(stderr).not.toMatch(STACK);
});

it('ends with 3 while another process has the data folder, which goes on [I150]', async () => {
  const folder = emptyFolder();
  const { url } = await startProgram(['--data-dir', folder]);
  const second = await runCommand(['start', '--port', '0', '--data-dir', folder]);
  expect(second.exitCode).toBe(3);
  expect(second.stderr).toContain(`The data folder ${folder} is in use by another svc-emulator`);
  expect((await fetch(`${url}/v1/models`)).status).toBe(200);
});

it.each([
  [['start', '--prot', '1'], /unknown option '--prot'\s+\(Did you mean --port\?\)/],
  [['--ephemral'], /unknown option '--ephemral'\s+\(Did you mean --ephemeral\?\)/],
  [['strat'], /unknown command 'strat'\s+\(Did you mean start\?\)/],
  [['keys', 'create', '--acount', 'x'], /Did you mean --account\?\)\n\(see svc-emulator keys create --help\)/],
  [['start', 'surplus'], /too many arguments/],
  [['start', '--port'], /argument missing/],
  [['start', '--port', '70000'], /--port is "70000"; expected a whole number from 0 to 65535/],
  [['start', '--log', 'loud'], /--log is "loud"; expected pretty, json or silent/],
  [['start', '--max-disk', 'big'], /--max-disk is "big"; expected a size/],
])('ends with 2 on %j and says how it is meant [I150]', async (args, message) => {
  const { exitCode, stdout, stderr } = await runCommand(args);
  expect(exitCode).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toMatch(message);
  expect(stderr).not.toMatch(STACK);
});

it('ends with 2 on a bad variable and names it [I150 I148]', async () => {
  const { exitCode, stderr } = await runCommand(['start'], { SVC_EMULATOR_RATE_LIMIT: 'none' });
  expect(exitCode).toBe(2);
  expect(stderr).toContain('SVC_EMULATOR_RATE_LIMIT is "none"; expected a whole number');
});

it('ends with 0 after help, which knows every flag and its default [I148 I150]', async () => {
  const { exitCode, stdout } = await runCommand(['start', '--help']);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('--port <number>');
  expect(stdout).toContain('(default: 5GiB)');
  expect(stdout).toContain('SVC_EMULATOR_MAX_DISK');
});

it('ends with 0 after its version', async () => {
  const { exitCode, stdout } = await runCommand(['--version']);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});
