import { expect, it } from 'vitest';
import { CHAT } from '../support/wire.ts';
import { fileOf, runToEnd, startProgram } from './spawned-program.ts';

/** An environment in which a process and its threads cannot find a package, as if npm had not installed it. */
function without(name: string): Record<string, string> {
  const file = fileOf(
    'without.cjs',
    `const Module = require('node:module');
    const find = Module._resolveFilename;
    Module._resolveFilename = (...asked) => {
      if (asked[0] === '${name}') throw Object.assign(new Error('Cannot find module ${name}'), { code: 'MODULE_NOT_FOUND' });
      return find(...asked);
    };`,
  );
  return { NODE_OPTIONS: `--require ${file}` };
}

const PICTURE = ['/images/generations', { prompt: 'a pier' }] as const;
const VOICE = ['/audio/speech', { input: 'A pier.', voice: 'aria' }] as const;

it.each([
  ['@ffmpeg-installer/ffmpeg', { fails: VOICE, works: PICTURE }, /ffmpeg .*npm install --include=optional, .*--ffmpeg/],
  ['sharp', { fails: PICTURE, works: VOICE }, /sharp .*npm install --include=optional\./],
] as const)(
  'runs without %s except for operations that need it, which are refunded; doctor names the remedy too',
  async (name, { fails, works }, remedy) => {
    const env = without(name);
    const { here } = await startProgram(['--ephemeral'], env);
    const account = await here.account({ credits: 100 });
    expect((await account.post('/chat/completions', CHAT)).status).toBe(200);
    expect((await account.post(works[0], works[1])).status).toBe(200);
    const before = await account.ledger();

    const { status, body } = await account.post(fails[0], fails[1]);
    expect({ status, error: body.error }).toMatchObject({
      status: 502,
      error: { code: 'render_failed', message: expect.stringMatching(remedy) },
    });
    const [charge, refund, ...others] = (await account.ledger()).slice(before.length);
    expect(charge).toMatch(/^charge -\d+$/);
    expect(refund).toBe(charge?.replace('charge -', 'refund '));
    expect(others).toEqual([]);
    const { exitCode, stdout } = await runToEnd(['doctor', '--port', '0', '--ephemeral'], env);
    expect(exitCode).toBe(1);
    expect(stdout.split('\n').filter((line) => line.startsWith('FAILED'))).toEqual([expect.stringMatching(remedy)]);
  },
);
