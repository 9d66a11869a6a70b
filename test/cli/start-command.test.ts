import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { runCommand } from '../support/run-command.ts';
import { fileForm } from '../support/wire.ts';
import { world } from '../support/world.ts';
import { balance, chat, emptyFolder, folderOf, SpawnedProgram, startProgram, writeFiles } from './spawned-program.ts';

const READY_LINE = /^svc-emulator ready on http:\/\/127\.0\.0\.1:\d+\n$/;

it('starts without a command name on the port in SVC_EMULATOR_PORT, prints exactly that address, and prefers a flag to its variable [I148]', async () => {
  const port = await freePort();
  const env = { SVC_EMULATOR_CREDITS: '70', SVC_EMULATOR_EPHEMERAL: 'true', SVC_EMULATOR_PORT: `${port}` };
  // A flag wins over its variable.
  const program = new SpawnedProgram(['--credits', '80'], env);
  expect(await balance(await program.ready())).toBe(80);
  expect(program.stdout).toBe(`svc-emulator ready on http://127.0.0.1:${port}\n`);
});

it('logs with --log pretty its addresses and each request on standard error, with the ids of the choices that apply to a response [I201 I159]', async () => {
  const { program, url, here } = await startProgram(['--ephemeral', '--log', 'pretty']);
  await chat(url);
  const account = await here.first();
  expect((await account.post('/audio/speech', { input: 'a'.repeat(4097), voice: 'aria' })).status).toBe(400);
  const clip = { model: 'svc-motion-one', prompt: '[[fail]] a pier', seconds: 5, seed: 1, mood: 'calm' };
  expect((await account.post('/videos/generations', clip)).status).toBe(202);
  await program.stop();
  expect(program.stdout).toMatch(READY_LINE);
  const lines = program.stderr.trimEnd().split('\n');
  expect(lines.slice(0, 5).map((line) => /^ {2}(\w+(?: \w+)?) +(\S+)$/.exec(line)?.slice(1))).toEqual([
    ['dashboard', `${url}/`],
    ['SVC_BASE_URL', url],
    ['OPENAI_BASE_URL', `${url}/v1`],
    ['key', 'svc_sk_local_emulator'],
    ['docs', `${url}/docs`],
  ]);
  const told = expect.stringMatching(
    /^\d\d:\d\d:\d\d POST \/v1\/chat\/completions 200 in \d+ ms, 1 credit request_id=req_\w+$/,
  );
  const refused = expect.stringMatching(/ POST \/v1\/audio\/speech 400 in \d+ ms request_id=req_\w+ choice=C135$/);
  const ignored = expect.stringMatching(/ POST \/v1\/videos\/generations 202 in .* choice=C001,C099$/);
  expect(lines.slice(5)).toEqual([told, refused, ignored]);
});

it.each([
  ['json', /^\{.*"msg":"POST \/v1\/chat\/completions 200 in \d+ ms, 1 credit"\}\n$/],
  ['silent', /^$/],
])('prints only the ready line on standard output with --log %s [I201 I159]', async (form, told) => {
  const { program, url } = await startProgram(['--ephemeral', '--log', form]);
  await chat(url);
  await program.stop();
  expect(program.stdout).toMatch(READY_LINE);
  expect(program.stderr).toMatch(told);
});

it.runIf(hasLoopback6())('listens on ::1 next to 127.0.0.1, or on the given host [I200]', async () => {
  const both = new URL((await world()).url);
  expect((await fetch(`http://[::1]:${both.port}/v1/models`)).status).toBe(200);
  const one = new URL((await world({ host: '::1' })).url);
  expect(one.hostname).toBe('[::1]');
});

it('prints the generated control token, but none that the user set, and an address of this machine if --host is not a loopback address', async () => {
  const { program, url } = await startProgram(['--ephemeral', '--host', '0.0.0.0']);
  const token = /^control token: (\S+)$/m.exec(program.stdout)?.[1];
  const local = url.replace('0.0.0.0', '127.0.0.1');
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`${local}/_emulator/accounts`, { headers })).status).toBe(200);
  await program.stop();
  expect(program.stderr).toMatch(/^ {2}dashboard +http:\/\/127\.0\.0\.1:\d+\/$/m);
  const set = await startProgram(['--ephemeral', '--host', '0.0.0.0', '--control-token', 'given-by-the-user']);
  expect(set.program.stdout).toMatch(/^svc-emulator ready on http:\/\/0\.0\.0\.0:\d+\n$/);
});

function hasLoopback6(): boolean {
  return Object.values(networkInterfaces())
    .flat()
    .some((address) => address?.address === '::1');
}

it.skipIf(process.platform === 'win32')(
  'creates a data folder and files in it that only their owner can read [I229]',
  async () => {
    const folder = path.join(emptyFolder(), 'data');
    const { program, here } = await startProgram(['--data-dir', folder]);
    const account = await here.first();
    await account.post('/storage/objects', fileForm());
    expect((await account.post('/images/generations', { prompt: 'a lake' })).status).toBe(200);
    await here.control('POST', '/snapshots', { name: 'one' });
    await program.stop();
    const made = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name));
    expect(made.length).toBeGreaterThan(6);
    for (const each of [folder, ...made]) {
      expect([each, statSync(each).mode & 0o077]).toEqual([each, 0]);
    }
  },
);

it('logs at a reset an invalid file that was added to the folder of --fixtures, with its line and field', async () => {
  const folder = folderOf({ 'a.yaml': 'fixtures:\n  - answer: { text: One. }\n' });
  const { program, here } = await startProgram(['--ephemeral', '--log', 'json', '--fixtures', folder]);
  writeFiles(folder, { 'b.yaml': 'fixtures:\n  - answer: {}\n' });
  expect((await here.control('POST', '/reset')).status).toBe(204);
  const logged = await program.heard('stderr', (text) => text.split('\n').find((line) => line.includes('is broken')));
  expect(JSON.parse(logged)).toMatchObject({ level: 50, file: 'b.yaml', line: 2, field: 'fixtures.0.answer' });
});

it('removes the folders that a failed start has created, and keeps folders that existed before', async () => {
  const { port } = new URL((await world()).url);
  const here = emptyFolder();
  for (const wrong of [
    ['--port', port],
    ['--port', '0', '--world', path.join(here, 'missing.json')],
  ]) {
    const folder = path.join(here, 'new', 'data');
    const { exitCode, stderr } = await runCommand([...wrong, '--data-dir', folder]);
    expect([exitCode, stderr]).toEqual([expect.any(Number), expect.stringMatching(/in use|missing\.json/)]);
    expect(exitCode).toBeGreaterThan(0);
    expect(readdirSync(here)).toEqual([]);
  }
  const kept = path.join(here, 'kept');
  mkdirSync(kept);
  expect((await runCommand(['--port', port, '--data-dir', kept])).exitCode).toBe(1);
  expect((await runCommand(['--port', port, '--data-dir', path.join(kept, 'data')])).exitCode).toBe(1);
  expect(existsSync(kept)).toBe(true);
  expect(existsSync(path.join(kept, 'data'))).toBe(false);
  const first = await world({ ephemeral: false, dataDir: kept });
  await first.account({ name: 'Harbour' });
  await first.close();
  expect((await runCommand(['--port', port, '--data-dir', kept])).exitCode).toBe(1);
  const again = await world({ ephemeral: false, dataDir: kept });
  const { body } = await again.control('GET', '/accounts?q=Harbour');
  expect(body.data).toMatchObject([{ name: 'Harbour' }]);
});
