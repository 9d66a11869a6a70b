import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { fixtureFolder } from '../../src/package/fixture-folder.ts';
import { freePort } from '../support/free-port.ts';
import { balance, chat, emptyFolder, SpawnedProgram, startProgram } from './spawned-program.ts';

const READY_LINE = /^svc-emulator ready on http:\/\/127\.0\.0\.1:\d+\n$/;

it('starts without a word of command and answers the service [I148 R001]', async () => {
  const program = new SpawnedProgram(['--port', '0', '--ephemeral']);
  const answer = await fetch(`${await program.ready()}/v1/models`);
  expect(answer.status).toBe(200);
  expect(program.stdout).toMatch(READY_LINE);
});

it('takes its port from the environment, and prints exactly that address [I148 I201]', async () => {
  const port = await freePort();
  const program = new SpawnedProgram(['start', '--ephemeral'], { SVC_EMULATOR_PORT: `${port}` });
  await program.ready();
  expect(program.stdout).toBe(`svc-emulator ready on http://127.0.0.1:${port}\n`);
});

it('lets a flag win over its variable [I148]', async () => {
  const env = { SVC_EMULATOR_CREDITS: '70', SVC_EMULATOR_EPHEMERAL: 'true' };
  const { url } = await startProgram(['--credits', '80'], env);
  expect(await balance(url)).toBe(80);
});

it.each([
  [
    'pretty',
    /^( {2}\w.+\n){4}\d\d:\d\d:\d\d POST \/v1\/chat\/completions 200 in \d+ ms, 1 credit request_id=req_\w+\n$/,
  ],
  ['json', /^\{.*"msg":"POST \/v1\/chat\/completions 200 in \d+ ms, 1 credit"\}\n$/],
  ['silent', /^$/],
])(
  'says nothing but the ready line on standard output with --log %s, and tells of requests on the other [I201 I159]',
  async (form, told) => {
    const { program, url } = await startProgram(['--ephemeral', '--log', form]);
    await chat(url);
    await program.stop();
    expect(program.stdout).toMatch(READY_LINE);
    expect(program.stderr).toMatch(told);
  },
);

it('names in the line of a refused request the choice by which it was refused', async () => {
  const { program, url } = await startProgram(['--ephemeral', '--log', 'pretty']);
  const headers = { authorization: 'Bearer svc_sk_local_emulator', 'content-type': 'application/json' };
  const body = JSON.stringify({ input: 'a'.repeat(4097), voice: 'aria' });
  expect((await fetch(`${url}/v1/audio/speech`, { method: 'POST', headers, body })).status).toBe(400);
  await program.stop();
  expect(program.stderr).toMatch(/ POST \/v1\/audio\/speech 400 in \d+ ms request_id=req_\w+ choice=C135\n$/);
});

it.runIf(hasLoopback6())('listens on ::1 as well, unless another host was named [I200]', async () => {
  const both = new URL((await startProgram(['--ephemeral'])).url);
  expect((await fetch(`http://[::1]:${both.port}/v1/models`)).status).toBe(200);
  const one = new URL((await startProgram(['--ephemeral', '--host', '::1'])).url);
  expect(one.hostname).toBe('[::1]');
});

it('prints the control token that it made when it listens beyond loopback [I095 I188]', async () => {
  const { program, url } = await startProgram(['--ephemeral', '--host', '0.0.0.0']);
  const token = /^control token: (\S+)$/m.exec(program.stdout)?.[1];
  const local = url.replace('0.0.0.0', '127.0.0.1');
  const asked = (headers: Record<string, string>) =>
    fetch(`${local}/_emulator/accounts`, { headers }).then(({ status }) => status);
  expect(await asked({})).toBe(401);
  expect(await asked({ authorization: `Bearer ${token}` })).toBe(200);
  expect((await fetch(`${local}/_emulator/health`)).status).toBe(200);
});

it('prints no token that was given, nor one that nobody needs [I095]', async () => {
  const { program } = await startProgram([
    ...['--ephemeral', '--host', '0.0.0.0'],
    ...['--control-token', 'given-by-the-user'],
  ]);
  expect(program.stdout).toMatch(/^svc-emulator ready on http:\/\/0\.0\.0\.0:\d+\n$/);
});

it('keeps money in its data folder from one start to the next [I155]', async () => {
  const folder = path.join(emptyFolder(), 'data');
  const first = await startProgram(['--data-dir', folder]);
  const left = await chat(first.url);
  expect(await first.program.stop()).toBe(0);
  const second = await startProgram(['--data-dir', folder]);
  expect(await balance(second.url)).toBe(left);
  expect(left).toBe(99_999);
});

it('keeps what was charged when it is killed without warning [I155 I062]', async () => {
  const folder = emptyFolder();
  const first = await startProgram(['--data-dir', folder]);
  const left = await chat(first.url);
  await first.program.stop('SIGKILL');
  expect(await balance((await startProgram(['--data-dir', folder])).url)).toBe(left);
});

it('leaves nothing of an ephemeral instance behind [I155]', async () => {
  const temporary = emptyFolder();
  const unused = path.join(emptyFolder(), 'unused');
  const args = ['--ephemeral', '--data-dir', unused];
  const { program, url } = await startProgram(args, { TMPDIR: temporary });
  await chat(url);
  expect(readdirSync(temporary)).toHaveLength(1);
  await program.stop();
  expect(readdirSync(temporary)).toEqual([]);
  expect(() => readdirSync(unused)).toThrow('ENOENT');
});

it('works on after a reset, with its seeded balance [I155 I085]', async () => {
  const { url } = await startProgram(['--ephemeral', '--credits', '60']);
  await chat(url);
  expect((await fetch(`${url}/_emulator/reset`, { method: 'POST' })).status).toBe(204);
  expect(await balance(url)).toBe(60);
  expect(await chat(url)).toBe(59);
});

it('removes at its start what a crash left among its temporary files [I155]', async () => {
  const folder = emptyFolder();
  const first = await startProgram(['--data-dir', folder]);
  await first.program.stop('SIGKILL');
  mkdirSync(path.join(folder, 'tmp'), { recursive: true });
  writeFileSync(path.join(folder, 'tmp', 'half-an-upload'), 'half');
  await startProgram(['--data-dir', folder]);
  expect(readdirSync(path.join(folder, 'tmp'))).not.toContain('half-an-upload');
});

it('takes its engines from a catalogue.json among the fixtures [I159 I205]', async () => {
  const folder = emptyFolder();
  const shipped = JSON.parse(readFileSync(path.join(fixtureFolder(), 'catalogue.json'), 'utf8'));
  const models = shipped.models.map((model: { id: string; pricing: string }) =>
    model.id === 'svc-rp-mini' ? { ...model, pricing: '7 credits, as this file says' } : model,
  );
  writeFileSync(path.join(folder, 'catalogue.json'), JSON.stringify({ ...shipped, models }));
  const { url } = await startProgram(['--ephemeral', '--fixtures', folder]);
  const { data } = (await (await fetch(`${url}/v1/models`)).json()) as {
    data: { pricing: string }[];
  };
  expect(data.map(({ pricing }) => pricing)).toContain('7 credits, as this file says');
});

function hasLoopback6(): boolean {
  return Object.values(networkInterfaces())
    .flat()
    .some((address) => address?.address === '::1');
}

it.skipIf(process.platform === 'win32')("makes a folder and files that are its owner's alone [I229]", async () => {
  const folder = path.join(emptyFolder(), 'data');
  const { program, url } = await startProgram(['--data-dir', folder]);
  const form = new FormData();
  form.append('file', new Blob(['hello']), 'a.txt');
  const headers = { authorization: 'Bearer svc_sk_local_emulator' };
  const typed = { ...headers, 'content-type': 'application/json' };
  await fetch(`${url}/v1/storage/objects`, { method: 'POST', headers, body: form });
  const picture = { method: 'POST', headers: typed, body: JSON.stringify({ prompt: 'a lake' }) };
  expect((await fetch(`${url}/v1/images/generations`, picture)).status).toBe(200);
  await fetch(`${url}/_emulator/snapshots`, { method: 'POST', headers: typed, body: '{"name":"one"}' });
  await program.stop();
  const made = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name));
  expect(made.length).toBeGreaterThan(6);
  for (const each of [folder, ...made]) {
    expect([each, statSync(each).mode & 0o077]).toEqual([each, 0]);
  }
});
