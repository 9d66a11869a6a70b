import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder, runToEnd, startProgram } from './spawned-program.ts';

/** A process, with its threads, for which npm has left out a package. */
function without(name: string): Record<string, string> {
  const file = path.join(emptyFolder(), 'without.cjs');
  writeFileSync(
    file,
    `const Module = require('node:module');
    const find = Module._resolveFilename;
    Module._resolveFilename = (...asked) => {
      if (asked[0] === '${name}') throw Object.assign(new Error('Cannot find module ${name}'), { code: 'MODULE_NOT_FOUND' });
      return find(...asked);
    };`,
  );
  return { NODE_OPTIONS: `--require ${file}` };
}

it.each([
  ['@ffmpeg-installer/ffmpeg', 'music', /ffmpeg .*npm install --include=optional @ffmpeg-installer\/ffmpeg.*--ffmpeg/],
  ['sharp', 'image', /sharp .*npm install --include=optional sharp/],
] as const)(
  'works without %s but for the small picture of %s, whose remedy doctor names too',
  async (name, kind, remedy) => {
    const env = without(name);
    const { here } = await startProgram(['--ephemeral'], env);
    const account = await here.account({ credits: 100 });
    const chat = { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Hello.' }] };
    expect((await account.post('/chat/completions', chat)).status).toBe(200);
    expect((await account.post('/images/generations', { prompt: 'a pier' })).status).toBe(200);
    const song = await account.made('/music/generations', { prompt: 'a pier', seconds: 30, n: 1 });
    expect(song.body.status).toBe('succeeded');
    expect((await account.ledger()).slice(-3)).toEqual(['charge -1', 'charge -10', 'charge -3']);

    const entry = (await account.library()).find((each) => each.kind === kind);
    const { status, body } = await account.get(entry?.thumbnail_url);
    expect({ status, error: body.error }).toMatchObject({
      status: 502,
      error: { code: 'render_failed', message: expect.stringMatching(remedy) },
    });
    const { exitCode, stdout } = await runToEnd(['doctor', '--port', '0', '--ephemeral'], env);
    expect(exitCode).toBe(1);
    expect(stdout.split('\n').filter((line) => line.startsWith('FAILED'))).toEqual([expect.stringMatching(remedy)]);
  },
);
