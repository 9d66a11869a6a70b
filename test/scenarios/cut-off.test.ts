import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runToEnd } from '../cli/spawned-program.ts';
import { CUT_OFF, REFUSED } from './cut-off.ts';

it('refuses anyone who is cut off everything but this machine', async () => {
  const script = "fetch('http://192.0.2.1/').catch(() => fetch('http://example.com/')).catch(() => 0)";
  const { stderr } = await runToEnd(['exec', '--quiet', '--', process.execPath, '-e', script], CUT_OFF);
  expect(stderr).toContain('loopback-only refused 192.0.2.1');
  expect(stderr).toContain('loopback-only refused example.com');
});

/** Every command that needs no emulator, and all that an emulator makes, against one that is cut off too. */
const STORY = `
  const { execFileSync } = require('node:child_process');
  const { SVC_BASE_URL, OPENAI_BASE_URL, SVC_API_KEY } = process.env;
  const { port } = new URL(SVC_BASE_URL);
  const program = (...args) => execFileSync(process.execPath, [process.argv[1], ...args, '--port', port], { encoding: 'utf8' });
  const send = async (path, body) => {
    const headers = { authorization: 'Bearer ' + SVC_API_KEY, 'content-type': 'application/json' };
    const answer = await fetch(OPENAI_BASE_URL + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(path + ' ' + answer.status + ' ' + (await answer.text()));
    return answer;
  };
  const get = async (path) => (await fetch(SVC_BASE_URL + path)).status;
  (async () => {
    await send('/chat/completions', { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Hello.' }] });
    await send('/images/generations', { prompt: 'a pier' });
    await send('/audio/speech', { input: 'Hello.', voice: 'aria' });
    await send('/music/generations', { prompt: 'a waltz', seconds: 30, n: 1 });
    await send('/videos/generations', { model: 'svc-motion-one', prompt: 'a pier', seconds: 5 });
    const endpoint = { url: 'https://app.example.com/hooks', events: ['image.generation.succeeded'] };
    await send('/webhooks', endpoint);
    console.log(await get('/_emulator/wait?for=idle&timeout=60'), await get('/llms.txt'), await get('/openapi.json'));
    program('keys', 'create');
    program('snapshot', 'save', 'cut');
    program('trigger', 'music.generation.succeeded');
    console.log(JSON.parse(program('openapi')).openapi);
    program('snapshot', 'load', 'cut');
    program('reset');
  })();`;

it('makes every medium and obeys every command, cut off from every network', {
  timeout: 120_000,
}, async () => {
  const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
  const line = ['exec', '--quiet', '--', process.execPath, '-e', STORY, main];
  const { exitCode, stdout, stderr } = await runToEnd(line, CUT_OFF);
  expect(stdout).toBe('200 200 200\n3.1.1\n');
  // Only the name of somebody's receiver is looked up, and nobody waits for it.
  const refused = stderr.split('\n').filter((told) => REFUSED.test(told));
  expect(refused.filter((told) => !told.includes('app.example.com'))).toEqual([]);
  expect(exitCode).toBe(0);
});
