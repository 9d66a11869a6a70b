import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readCalls } from '../../src/drift/recorded-calls.ts';
import { fieldsOf } from '../../src/drift/shape-of.ts';
import { runCommand } from '../support/run-command.ts';
import { world } from '../support/world.ts';
import { emptyFolder, SpawnedProgram } from './spawned-program.ts';

const service = await world();

async function recording(upstream: string, env: Record<string, string> = {}) {
  const file = path.join(emptyFolder(), 'run.ndjson');
  const program = new SpawnedProgram(['record', '--upstream', upstream, '--out', file], env);
  const url = await new Promise<string>((resolve, reject) => {
    program.child.stdout?.on('data', () => {
      const [, found] = /records \S+ on (\S+)\n/.exec(program.stdout) ?? [];
      if (found) resolve(found);
    });
    program.child.once('close', () => reject(new Error(program.stderr)));
  });
  return {
    url,
    async stop() {
      expect(await program.stop()).toBe(0);
      const text = readFileSync(file, 'utf8');
      const lines = text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
      return { file, text, lines };
    },
  };
}

it('passes a story on unchanged, and writes it without keys, secrets, signed addresses and long texts', async () => {
  const account = await service.account({ plan: 'studio', credits: 500 });
  const { url, stop } = await recording(service.url, { SHOP_PASSWORD: 'correct horse' });
  const headers = { ...account.headers, 'content-type': 'application/json' };
  // biome-ignore lint/suspicious/noExplicitAny: answers are asserted field by field
  const post = async (where: string, body: object): Promise<any> =>
    (await fetch(url + where, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  const prompt = `a barn that only Mrs. Quillfeather knows, ${'and a long way round '.repeat(5)}`;
  const hook = await post('/v1/webhooks', {
    url: 'https://example.com/hook?token=tok4711',
    events: ['image.generation.succeeded'],
  });
  const image = await post('/v1/images/generations', { prompt, response_format: 'url' });
  const file = await fetch(image.data[0].url);
  await post('/v1/chat/completions', { model: 'none', messages: [{ role: 'user', content: 'correct horse' }] });
  const inline = await post('/v1/images/generations', { prompt });
  const { text, lines, file: written } = await stop();

  expect(file.status).toBe(200);
  expect(Buffer.from(inline.data[0].b64_json, 'base64').equals(Buffer.from(await file.arrayBuffer()))).toBe(true);
  const plain = lines.map(({ request, response }) => `${request.method} ${request.path} ${response.status}`);
  expect(plain).toEqual([
    'POST /v1/webhooks 201',
    'POST /v1/images/generations 200',
    'POST /v1/chat/completions 404',
    'POST /v1/images/generations 200',
  ]);
  const signature = new URL(image.data[0].url).search.slice(1);
  const secrets = [account.key, hook.secret, signature, 'Quillfeather', 'tok4711', 'correct horse'];
  for (const secret of secrets) expect(text).not.toContain(secret);
  expect(text).not.toContain(inline.data[0].b64_json.slice(0, 60));
  const { 'data.*.b64_json': picture } = fieldsOf(JSON.parse(lines[3].response.body));
  expect(picture?.forms).toEqual(['base64']);
  expect(JSON.parse(lines[0].response.body).secret).toBe('whsec_…');
  expect(lines[0].request.headers.authorization).toMatch(/^Bearer …+$/);
  expect(JSON.parse(lines[2].response.body).error.code).toBe('model_not_found');
  expect(statSync(written).mode & 0o077).toBe(0);
  expect(readCalls(written, text).map(({ operation, hasKey }) => [operation, hasKey])).toEqual([
    ['createWebhook', true],
    ['createImage', true],
    ['createChatCompletion', true],
    ['createImage', true],
  ]);
  const leaned = await runCommand(['choices', '--from', written]);
  expect([leaned.exitCode, leaned.stdout]).toEqual([0, expect.stringContaining('C022  Errors')]);
});

it('passes a stream on as it comes, and headers as they are written', async () => {
  const more: (() => void)[] = [];
  const upstream = createServer((request, response) => {
    response.setHeader('X-Odd-Case', [
      String(request.headers['x-mine']),
      request.rawHeaders.includes('X-Mine') ? 'raw' : '',
    ]);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"n":1,"id":"chat_1"}\n\n');
    more.push(() => response.end('data: {"n":2}\n\ndata: [DONE]\n\n'));
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void upstream.close());
  const { url, stop } = await recording(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}`);
  const response = await fetch(`${url}/v1/chat/completions`, { headers: { 'X-Mine': 'yes' } });
  const reader = response.body?.getReader();
  const first = await reader?.read();
  expect(Buffer.from(first?.value ?? []).toString()).toBe('data: {"n":1,"id":"chat_1"}\n\n');
  for (const go of more) go();
  let rest = '';
  for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read())
    rest += Buffer.from(piece.value).toString();
  expect(rest).toBe('data: {"n":2}\n\ndata: [DONE]\n\n');
  expect(response.headers.get('x-odd-case')).toBe('yes, raw');
  const { lines } = await stop();
  expect(lines[0].response.body).toBe('data: {"n":1,"id":"chat_1"}\n\ndata: {"n":2}\n\ndata: [DONE]\n\n');
});

it('answers 502 where the service cannot be reached, and writes that there was no answer', async () => {
  const { url, stop } = await recording('http://127.0.0.1:1');
  const response = await fetch(`${url}/v1/models`);
  expect([response.status, await response.text()]).toEqual([502, expect.stringContaining('"upstream_unreachable"')]);
  expect((await stop()).lines[0].response.status).toBe(0);
});

it.each([
  ['http elsewhere', ['--upstream', 'http://api.example.com', '--out', 'run.ndjson'], 'It must be an https URL'],
  ['no upstream', ['--out', 'run.ndjson'], '--upstream'],
  [
    'a file that has no folder',
    ['--upstream', 'https://api.example.com', '--out', '/no/such/run.ndjson'],
    '--out is /no/such/run.ndjson',
  ],
])('refuses %s', async (_, flags, said) => {
  const { exitCode, stderr } = await runCommand(['record', ...flags]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(said)]);
});
