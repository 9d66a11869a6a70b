import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runCommand } from '../support/run-command.ts';
import { EXACT_RENDERS, world } from '../support/world.ts';
import { emptyFolder, MAIN } from './spawned-program.ts';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

/** What it writes to standard output is no text: a process of its own. */
function written(args: string[]): Promise<{ error: unknown; stdout: Buffer; stderr: string }> {
  return new Promise((resolve) => {
    const options = { cwd: tmpdir(), encoding: 'buffer' as const, maxBuffer: 1 << 26 };
    execFile(process.execPath, [MAIN, 'render', ...args, '--out', '-'], options, (error, stdout, stderr) =>
      resolve({ error, stdout, stderr: stderr.toString() }),
    );
  });
}

const run = (args: string[], cwd = tmpdir()) => runCommand(['render', ...args], {}, cwd);

it('renders the picture of the service into a file named after the prompt, with no emulator running', async () => {
  const folder = emptyFolder();
  const prompt = 'A red fox, im Wald!';
  const { exitCode, stdout } = await run([prompt], folder);
  expect([exitCode, stdout, readdirSync(folder)]).toEqual([0, 'a-red-fox-im-wald.png\n', ['a-red-fox-im-wald.png']]);
  const here = await world({}, EXACT_RENDERS);
  const account = await here.account({ plan: 'studio', credits: 50 });
  const { body } = await account.post('/images/generations', { prompt });
  const bytes = Buffer.from(body.data[0].b64_json, 'base64');
  expect(bytes.equals(readFileSync(path.join(folder, 'a-red-fox-im-wald.png')))).toBe(true);
});

it('writes a picture to standard output, and prints how the prompt was read', async () => {
  const { error, stdout, stderr } = await written(['--seed', '7', '東京の夜', '--explain']);
  expect([error, stdout.subarray(0, 4)]).toEqual([null, PNG]);
  expect(Object.keys(JSON.parse(stderr))).toContain('subjects');
});

it.each([
  ['a clip', ['--kind', 'video', '--seconds', '5', 'a lake'], 'ftyp', 4, 'subjects'],
  ['speech', ['--kind', 'speech', '--voice', 'orion', 'Hello'], 'ID3', 0, 'model'],
  ['a song', ['--kind', 'music', '--seconds', '30', 'a sea shanty'], 'ID3', 0, 'model'],
])('writes %s into a file, and what is understood to standard output', async (_, args, mark, at, field) => {
  const file = path.join(emptyFolder(), 'rendered');
  const { exitCode, stdout } = await run([...args, '--out', file, '--explain']);
  expect([exitCode, readFileSync(file).toString('latin1', at, at + mark.length)]).toEqual([0, mark]);
  expect(Object.keys(JSON.parse(stdout))).toContain(field);
});

it.each([
  ['an unknown kind', ['--kind', 'song', 'a'], 'image, video, speech, music'],
  ['seconds of a picture', ['--seconds', '5', 'a'], '--seconds is for clips and songs'],
  ['a song of 45 seconds', ['--kind', 'music', '--seconds', '45', 'a'], 'in steps of 30'],
  ['a seed that is no number', ['--seed', 'x', 'a'], 'a whole number'],
  ['a folder that is not there', ['--out', '/nowhere/at/all.png', 'a'], 'expected a file in a folder that exists'],
  [
    'one for a clip',
    ['--kind', 'video', '--out', '/nowhere/at/all.mp4', 'a'],
    'expected a file in a folder that exists',
  ],
  ['a prompt that is too long', ['x'.repeat(2401)], 'at most 2400'],
])('refuses %s, and says what to do', async (_, args, told) => {
  const { exitCode, stderr } = await run(args);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(told);
  expect(stderr).not.toMatch(/\n\s+at /);
});

it('refuses a model of another kind', async () => {
  const { exitCode, stderr } = await run(['--model', 'svc-voice-one', 'a']);
  expect(exitCode).toBe(1);
  expect(stderr).toContain('Use one of kind image');
});
