import { expect, it } from 'vitest';
import { startStandIn } from '../runners/real-stand-in.ts';
import { runToEnd } from './spawned-program.ts';

const service = await startStandIn(1000);

/** Orders pictures of ten credits until it is refused, and prints how each was answered. */
const PICTURES = `
  const { SVC_BASE_URL: url, OPENAI_API_KEY: key } = process.env;
  const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' };
  const order = (prompt) => fetch(url + '/v1/images/generations', { method: 'POST', headers, body: JSON.stringify({ prompt }) });
  const free = await fetch(url + '/v1/images/generations', { method: 'POST', headers, body: '{}' });
  console.log(free.status);
  for (let n = 0; n < 8; n += 1) console.log((await order('a barn ' + n)).status);
  await new Promise((resolve) => setTimeout(resolve, 60000));`;
const TOGETHER = `
  const { SVC_BASE_URL: url, OPENAI_API_KEY: key } = process.env;
  const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' };
  const order = (prompt) => fetch(url + '/v1/images/generations', { method: 'POST', headers, body: JSON.stringify({ prompt }) });
  await Promise.all([1, 2, 3, 4, 5, 6].map((n) => order('a pier ' + n)));`;

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

it('ends a run before the request that would pass --max-credits, and charges no more', async () => {
  const before = await service.account.balance();
  const { exitCode, stdout, stderr } = await exec(['--max-credits', '35'], PICTURES);
  expect(stdout.split('\n').slice(0, 4)).toEqual(['400', '200', '200', '200']);
  expect(stdout.split('\n').filter((line) => line === '200')).toHaveLength(3);
  expect(stderr).toContain(
    'The run was ended: POST /v1/images/generations costs 10 credits after 30; expected at most 35',
  );
  expect(exitCode).toBe(1);
  expect(await service.account.balance()).toBe(before - 30);
});

it('counts orders that are sent at once, none of which has an answer yet', async () => {
  const before = await service.account.balance();
  const { exitCode } = await exec(['--max-credits', '20'], TOGETHER);
  expect(exitCode).toBe(1);
  await service.account.idle();
  const spent = before - (await service.account.balance());
  expect(spent).toBeLessThanOrEqual(20);
});

it.each([
  ['a flag that is about an emulator', ['--trace', 'run.html'], {}, 2, '--trace is for a run on an emulator'],
  ['a key that the service does not know', [], { SVC_API_KEY: 'svc_sk_other' }, 1, 'GET /v1/account was answered 401'],
  ['no key', [], { SVC_API_KEY: '' }, 2, 'the environment lacks SVC_API_KEY'],
])('refuses %s, and runs nothing', async (_, flags, env, code, said) => {
  const { exitCode, stdout, stderr } = await exec(flags, 'console.log("ran")', env);
  expect([exitCode, stdout, stderr]).toEqual([code, '', expect.stringContaining(said)]);
});
