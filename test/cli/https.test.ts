import { X509Certificate } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { connect } from 'node:tls';
import { expect, it } from 'vitest';
import { makeRunCertificate } from '../../src/service/http/run-authority.ts';
import { runBeside, runCommand } from '../support/run-command.ts';
import { emptyFolder, runToEnd, SpawnedProgram } from './spawned-program.ts';

const IN_NODE = `
  const { SVC_BASE_URL: url, SVC_API_KEY: key } = process.env;
  const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' };
  const call = async (method, path, body) =>
    (await fetch(url + path, { method, headers, body: body && JSON.stringify(body) })).json();
  const inbox = url + '/_emulator/inbox/mine';
  const hook = await call('POST', '/v1/webhooks', { url: inbox, events: ['image.generation.succeeded'] });
  const image = await call('POST', '/v1/images/generations', { prompt: 'a barn', response_format: 'url' });
  const file = await fetch(image.data[0].url);
  await call('GET', '/_emulator/wait?for=inbox:mine&timeout=20');
  const { data } = await call('GET', '/_emulator/inbox/mine/messages');
  console.log(JSON.stringify({ hook: hook.url === inbox, file: file.status, cdn: image.data[0].url.startsWith(url), url, verified: data[0].signature.verified }));`;

it('serves https to a command that trusts it by its environment, the CDN and inboxes too', async () => {
  const { exitCode, stdout, stderr } = await runBeside(['--https'], ['--input-type=module', '-e', IN_NODE]);
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('The run made 2 requests and cost 10 credits')]);
  const { url, ...rest } = JSON.parse(stdout);
  expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  expect(rest).toEqual({ hook: true, file: 200, cdn: true, verified: true });
});

it("is trusted by Python's urllib, which still knows the authorities that are known anywhere", async () => {
  const script = `
import json, os, ssl, urllib.request
ask = urllib.request.Request(os.environ["SVC_BASE_URL"] + "/v1/account", headers={"authorization": "Bearer " + os.environ["SVC_API_KEY"]})
with urllib.request.urlopen(ask) as answer:
    print(json.load(answer)["credits"], len(ssl.create_default_context().get_ca_certs()) > 50)
print(os.environ["REQUESTS_CA_BUNDLE"] == os.environ["SSL_CERT_FILE"])`;
  const { exitCode, stdout } = await runBeside(['--https', '--quiet'], ['-c', script], { program: 'python3' });
  expect([exitCode, stdout]).toEqual([0, '100000 True\nTrue\n']);
});

it('prints the file of its authority, is refused without it, lets other commands find it, and leaves no key and no file', async () => {
  const folder = emptyFolder();
  const data = path.join(folder, 'data');
  const program = new SpawnedProgram(['start', '--https', '--port', '0', '--data-dir', data]);
  const url = await program.ready();
  const [, file = ''] = /^certificate authority: (.+)$/m.exec(program.stdout) ?? [];
  expect(new X509Certificate(readFileSync(file)).ca).toBe(true);
  await expect(fetch(url)).rejects.toMatchObject({ cause: { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' } });
  const found = { SVC_EMULATOR_PORT: new URL(url).port, SVC_EMULATOR_HTTPS: 'true', NODE_EXTRA_CA_CERTS: file };
  const { exitCode, stdout } = await runToEnd(['account', 'list', '--json'], found);
  expect([exitCode, JSON.parse(stdout).length]).toEqual([0, 1]);
  const written = readdirSync(data, { recursive: true, encoding: 'utf8' }).map((name) => path.join(data, name));
  const texts = written.filter((name) => name.endsWith('.pem')).map((name) => readFileSync(name, 'utf8'));
  expect(texts).toHaveLength(2);
  for (const text of texts) expect(text).not.toContain('PRIVATE KEY');
  expect(await program.stop()).toBe(0);
  expect(existsSync(file)).toBe(false);
});

it('makes a certificate that names each host and address, and that the authority alone has signed', async () => {
  const hosts = ['127.0.0.1', '::1', '::', 'localhost', 'fe80::a:1', 'emulator.internal'];
  const { cert, authority } = makeRunCertificate(hosts, Date.parse('2026-03-01T12:00:00Z'));
  const [leaf, root] = [new X509Certificate(cert), new X509Certificate(authority)];
  for (const host of hosts.filter((each) => /^[\d:]/.test(each))) expect(leaf.checkIP(host), host).toBe(host);
  for (const host of ['localhost', 'emulator.internal']) expect(leaf.checkHost(host)).toBe(host);
  expect(leaf.checkHost('example.com')).toBeUndefined();
  expect([leaf.verify(root.publicKey), leaf.checkIssued(root), leaf.ca]).toEqual([true, true, false]);
  expect([leaf.validFrom, leaf.validTo]).toEqual(['Feb 28 12:00:00 2026 GMT', 'Apr  2 12:00:00 2027 GMT']);
  const other = new X509Certificate(makeRunCertificate(hosts, Date.now()).authority);
  expect(leaf.verify(other.publicKey)).toBe(false);
});

it('refuses --https where the emulator is started again, since it would have another certificate', async () => {
  const { exitCode, stderr } = await runCommand(['start', '--https', '--supervise', '--port', '0']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--https and --supervise cannot be combined')]);
});

it('answers plain http at its https port by closing, and stays up', async () => {
  const program = new SpawnedProgram(['start', '--https', '--port', '0', '--ephemeral']);
  const url = await program.ready();
  await expect(fetch(url.replace('https', 'http'))).rejects.toThrow();
  const [, file = ''] = /^certificate authority: (.+)$/m.exec(program.stdout) ?? [];
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', ca: readFileSync(file) });
  const subject = await new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('secureConnect', () => resolve(socket.getPeerCertificate().subject.CN));
  });
  socket.destroy();
  expect(subject).toBe('127.0.0.1');
});
