import { expect, it } from 'vitest';
import { startStandIn } from '../client/runners/real-stand-in.ts';
import { runToEnd } from './spawned-program.ts';

const service = await startStandIn(1000);

/** Orders two pictures of ten credits each. */
const PICTURES = `
  const { SVC_BASE_URL: url, OPENAI_API_KEY: key } = process.env;
  const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' };
  const order = (prompt) => fetch(url + '/v1/images/generations', { method: 'POST', headers, body: JSON.stringify({ prompt }) });
  for (const prompt of ['a barn', 'a pier']) console.log((await order(prompt)).status);`;

const exec = (flags: string[], script: string, env: Record<string, string> = {}) =>
  runToEnd(['exec', ...flags, '--', process.execPath, '--input-type=module', '-e', script], { ...service.env, ...env });

it('runs a command on the service, and says what it cost', async () => {
  const before = await service.account.balance();
  const script = `
    const { SVC_BASE_URL, OPENAI_API_KEY: key, SVC_EMULATOR_PORT: port } = process.env;
    const headers = { authorization: 'Bearer ' + key };
    console.log((await fetch(SVC_BASE_URL + '/v1/account', { headers })).status, port);`;
  const { exitCode, stdout, stderr } = await exec([], script);
  expect([exitCode, stdout]).toEqual([0, '200 undefined\n']);
  expect(stderr).toContain(
    `The run cost 0 credits on ${service.env.SVC_BASE_URL} (balance ${before} before, ${before} after)`,
  );
});

it.each([
  ['19', '', 1, 'The run cost 20 credits; expected at most 19 (--max-credits).'],
  ['19', 'process.exit(7)', 7, 'The run cost 20 credits; expected at most 19 (--max-credits).'],
  ['20', '', 0, 'The run cost 20 credits on '],
])('judges what a run has cost by --max-credits %s when its command ends', async (most, more, code, said) => {
  const before = await service.account.balance();
  const { exitCode, stdout, stderr } = await exec(['--max-credits', most], PICTURES + more);
  expect([exitCode, stdout]).toEqual([code, '200\n200\n']);
  expect(stderr).toContain(said);
  expect(await service.account.balance()).toBe(before - 20);
});

it.each([
  ['a flag that is about an emulator', ['--trace', 'run.html'], {}, 2, '--trace is for a run on an emulator'],
  ['a key that the service does not know', [], { SVC_API_KEY: 'svc_sk_other' }, 1, 'GET /v1/account was answered 401'],
  ['plain http to another machine', [], { SVC_BASE_URL: 'http://api.example.com' }, 2, 'expected an https URL'],
  ['no key', [], { SVC_API_KEY: '' }, 2, 'the environment lacks SVC_API_KEY'],
])('refuses %s, and runs nothing', async (_, flags, env, code, said) => {
  const { exitCode, stdout, stderr } = await exec(flags, 'console.log("ran")', env);
  expect([exitCode, stdout, stderr]).toEqual([code, '', expect.stringContaining(said)]);
});
