import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readCalls } from '../../src/check/service/recorded-calls.ts';
import { fieldsOf } from '../../src/check/service/shapes.ts';
import { listening } from '../check/service/stand-in.ts';
import { atEnd } from '../support/at-end.ts';
import { takenPort } from '../support/free-port.ts';
import { lookUntil } from '../support/look-until.ts';
import { runCommand } from '../support/run-command.ts';
import { world } from '../support/world.ts';
import { send, startRecorder } from './recorder.ts';
import { emptyFolder, SpawnedProgram } from './spawned-program.ts';

const service = await world();
const MAIN = path.join(import.meta.dirname, '..', '..', 'dist', 'main.js');
const isPosix = process.platform !== 'win32';

const newFile = (text?: string) => {
  const file = path.join(emptyFolder(), 'run.ndjson');
  if (text !== undefined) writeFileSync(file, text, { mode: 0o644 });
  return file;
};

/** Sends through a recorder with the key of a new account. */
async function clientOf(url: string) {
  const account = await service.account({ plan: 'studio', credits: 500 });
  const headers = { ...account.headers, 'content-type': 'application/json' };
  // biome-ignore lint/suspicious/noExplicitAny: answers are asserted field by field
  const ask = async (method: string, where: string, body?: object): Promise<any> =>
    (await fetch(url + where, { method, headers, ...(body && { body: JSON.stringify(body) }) })).json();
  return ask;
}

it('passes pictures on unchanged, and writes their forms', async () => {
  const { url, stop } = await startRecorder(service.url);
  const ask = await clientOf(url);
  const image = await ask('POST', '/v1/images/generations', { prompt: 'a barn', response_format: 'url' });
  const picture = Buffer.from(await (await fetch(image.data[0].url)).arrayBuffer());
  const inline = await ask('POST', '/v1/images/generations', { prompt: 'a barn' });
  const { lines } = await stop();
  expect(Buffer.from(inline.data[0].b64_json, 'base64').equals(picture)).toBe(true);
  const [first, second] = lines.map(({ response }) => JSON.parse(response.body));
  expect(fieldsOf(first)['data.*.url']?.forms).toEqual(['signed URL']);
  expect(fieldsOf(second)['data.*.b64_json']?.forms).toEqual(['base64']);
  expect(first.usage.credits_spent).toBe(10);
  expect(JSON.parse(lines[0].request.body)).toEqual({ prompt: '… [6 characters]', response_format: 'url' });
});

it('writes what the contract names, of which drift and choices can read', async () => {
  const { url, file, stop } = await startRecorder(service.url);
  const ask = await clientOf(url);
  await ask('POST', '/v1/webhooks', { url: 'https://example.com/hook', events: ['image.generation.succeeded'] });
  await ask('POST', '/v1/chat/completions', { model: 'none', messages: [{ role: 'user', content: 'Hello.' }] });
  const song = await ask('POST', '/v1/music/generations', { prompt: 'a waltz [[fail]]', seconds: 30, n: 1 });
  await service.wait(`job:${song.data[0].id}`);
  await ask('GET', `/v1/music/generations/${song.data[0].id}`);
  const { text, lines } = await stop();
  const [, job] = /"id":"(job_\d{6})"/.exec(lines[2].response.body) ?? [];
  expect(lines.map(({ request, response }) => `${request.method} ${request.path} ${response.status}`)).toEqual([
    'POST /v1/webhooks 201',
    'POST /v1/chat/completions 404',
    'POST /v1/music/generations 202',
    `GET /v1/music/generations/${job} 200`,
  ]);
  expect(lines[0].request.headers.authorization).toMatch(/^Bearer … \[\d+ characters\]$/);
  const [webhook, refusal, , read] = lines.map(({ response }) => JSON.parse(response.body));
  expect(webhook.secret).toBe('whsec_…');
  expect(refusal.error).toMatchObject({ code: 'model_not_found', type: 'not_found_error' });
  expect(read).toMatchObject({ id: job, object: 'music.generation', status: 'failed' });
  expect(JSON.parse(lines[2].request.body)).toMatchObject({ seconds: 30, n: 1 });
  expect(readCalls(file, text).map(({ operation, hasKey }) => [operation, hasKey])).toEqual([
    ['createWebhook', true],
    ['createChatCompletion', true],
    ['createSong', true],
    ['getSong', true],
  ]);
  const drift = await runCommand(['drift', '--from', file]);
  expect([drift.exitCode, drift.stdout]).toEqual([0, expect.stringMatching(/^\d same \(/)]);
});

it('passes a stream on as it comes, and headers as they are written', async () => {
  const more: (() => void)[] = [];
  const upstream = await listening((request, response) => {
    response.setHeader('X-Odd-Case', [
      String(request.headers['x-mine']),
      request.rawHeaders.includes('X-Mine') ? 'raw' : '',
    ]);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"index":1,"id":"chatcmpl_1234"}\n\n');
    more.push(() => response.end('data: {"index":2,"id":"chatcmpl_1234"}\n\ndata: [DONE]\n\n'));
  });
  const { url, stop } = await startRecorder(`${upstream}/v1/`);
  const response = await fetch(`${url}/v1/chat/completions`, { headers: { 'X-Mine': 'yes' } });
  const reader = response.body?.getReader();
  const first = await reader?.read();
  expect(Buffer.from(first?.value ?? []).toString()).toBe('data: {"index":1,"id":"chatcmpl_1234"}\n\n');
  for (const go of more) go();
  reader?.releaseLock();
  let rest = '';
  for await (const piece of response.body ?? []) rest += Buffer.from(piece).toString();
  expect(rest).toBe('data: {"index":2,"id":"chatcmpl_1234"}\n\ndata: [DONE]\n\n');
  expect(response.headers.get('x-odd-case')).toBe('yes, raw');
  const { lines } = await stop();
  expect(lines[0].response.body).toBe(
    'data: {"index":1,"id":"chatcmpl_000001"}\n\ndata: {"index":2,"id":"chatcmpl_000001"}\n\ndata: [DONE]\n\n',
  );
});

it('answers 502 where the service cannot be reached, and writes that there was no answer', async () => {
  const { url, stop } = await startRecorder('http://127.0.0.1:1');
  const { status, body } = await send(url, { path: '/v1/models' });
  expect([status, body]).toEqual([502, expect.stringContaining('"upstream_unreachable"')]);
  expect((await stop()).lines[0].response).toEqual({ status: 0, headers: {}, body: null, failure: 'ECONNREFUSED' });
});

it.each([
  ['http elsewhere', 'http://api.example.com', '--upstream is http://api.example.com; expected an https URL'],
  ['a user', 'https://bob:pass-word-1@api.example.com', '--upstream is https://api.example.com with a user'],
  ['a query', 'https://api.example.com/?k=pass-word-1', '--upstream is https://api.example.com with a query'],
  ['a fragment', 'https://api.example.com/#pass-word-1', '--upstream is https://api.example.com with a fragment'],
  ['no URL', 'api.example.com', '--upstream is no URL'],
])('refuses an address with %s, naming no password', async (_, upstream, said) => {
  const file = newFile('mine');
  const { exitCode, stdout, stderr } = await runCommand(['record', '--upstream', upstream, '--out', file]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(said)]);
  expect(stdout + stderr).not.toContain('pass-word-1');
  expect(readFileSync(file, 'utf8')).toBe('mine');
});

const record = (...flags: string[]) => runCommand(['record', '--upstream', 'https://api.example.com', ...flags]);

it.each([
  ['that has no folder', () => '/no/such/run.ndjson', '--out is /no/such/run.ndjson, which cannot be written'],
  ['that is no recording', () => newFile('{"at":"mine"}\n'), 'which is no recording and would be lost'],
  ['that is a folder', () => emptyFolder(), 'which is no plain file'],
])('refuses a file %s, and leaves it as it is', async (_, fileOf, said) => {
  const file = fileOf();
  const before = existsSync(file) && statSync(file).isFile() ? readFileSync(file, 'utf8') : '';
  const { exitCode, stderr } = await record('--out', file);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(said)]);
  if (before !== '') expect(readFileSync(file, 'utf8')).toBe(before);
  expect(existsSync(`${file}.lock`)).toBe(false);
});

it.runIf(isPosix)('refuses a pipe and a device at once', async () => {
  const pipe = path.join(emptyFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const file of [pipe, '/dev/null']) {
    const { exitCode, stderr } = await record('--out', file);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`--out is ${file}, which is no plain file`)]);
  }
});

it('empties no file while it cannot listen', async () => {
  const { url, file, stop } = await startRecorder(service.url);
  await send(url, { path: '/v1/models' });
  const { text } = await stop();
  const port = await takenPort();
  const { exitCode, stderr } = await record('--out', file, '--port', String(port));
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`Port ${port} is in use by another program`)]);
  expect(readFileSync(file, 'utf8')).toBe(text);
});

it('refuses a second recorder of one file, and writes over an earlier recording, for its owner alone', async () => {
  const first = await startRecorder(service.url, newFile(''));
  await send(first.url, { path: '/v1/models' });
  await lookUntil(() => first.lines().length > 0);
  const { exitCode, stderr } = await record('--out', first.file);
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining(`process ${first.program.child.pid} is recording into`),
  ]);
  expect(first.lines()).toHaveLength(1);
  // One that was killed leaves its lock behind.
  first.program.child.kill('SIGKILL');
  await first.program.ended();
  const second = await startRecorder(service.url, first.file);
  await send(second.url, { path: '/v1/account' });
  const { lines } = await second.stop();
  expect(lines.map(({ request }) => request.path)).toEqual(['/v1/account']);
  expect(statSync(first.file).mode & 0o077).toBe(0);
  expect(existsSync(`${first.file}.lock`)).toBe(false);
});

it('reads a recording whose last line is cut', async () => {
  const { url, file, stop } = await startRecorder(service.url);
  for (const where of ['/v1/models', '/v1/account']) await send(url, { path: where });
  const { text } = await stop();
  appendFileSync(file, `${text.slice(0, 70)}      `);
  expect(readCalls(file, readFileSync(file, 'utf8'))).toHaveLength(2);
  expect((await runCommand(['drift', '--from', file])).exitCode).toBe(0);
});

it.runIf(isPosix)(
  'ends the recording with a line that says so where the disk takes no more, and passes on',
  async () => {
    const file = newFile();
    // So many blocks, of 512 bytes or of 1,024.
    const limited = `trap '' XFSZ; ulimit -f 32; exec "${process.execPath}" "${MAIN}" record --upstream ${service.url} --out "${file}"`;
    const child = spawn('/bin/sh', ['-c', limited], { stdio: ['ignore', 'pipe', 'pipe'] });
    atEnd(() => void child.kill('SIGKILL'));
    let said = '';
    for (const output of [child.stdout, child.stderr]) output.on('data', (text) => (said += text));
    await lookUntil(() => /records \S+ on \S+\n/.test(said));
    const [, url = ''] = /records \S+ on (\S+)\n/.exec(said) ?? [];
    for (let n = 0; n < 40; n += 1) expect((await send(url, { path: `/v1/models?limit=${n}` })).status).toBe(200);
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([1, null]);
    const text = readFileSync(file, 'utf8');
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.length).toBeGreaterThan(2);
    expect(lines.length).toBeLessThan(40);
    expect(lines.at(-1)).toEqual({ stopped: 'EFBIG: the recording ends here; what passed later is not in it' });
    expect(said).toContain(
      `Wrote ${lines.length - 1} requests to ${file}; then it could not be written any more (EFBIG).`,
    );
    expect(readCalls(file, text)).toHaveLength(lines.length - 1);
  },
);

it('says which option is missing', async () => {
  const program = new SpawnedProgram(['record', '--out', newFile()]);
  expect([await program.ended(), program.stderr]).toEqual([2, expect.stringContaining('--upstream')]);
});
