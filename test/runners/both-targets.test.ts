import { expect, it } from 'vitest';
import { realTarget } from '../../src/config/real-target.ts';
import { runSuite, webhookSuites } from './both-targets-suite.ts';
import { startStandIn, wayIn } from './real-stand-in.ts';

const service = await startStandIn(5000);

it("skips in Node's own runner what the service has no door for, with the reason", async () => {
  const { code, output } = await runSuite('node:test', service.env);
  expect(output).toMatch(/# pass 2\n[\s\S]*# fail 0\n[\s\S]*# todo 2\n/);
  expect(output).toContain('it moves or reads the emulator’s clock');
  expect(code).toBe(0);
});

it("receives webhooks in Node's own runner at a public address, and leaves no endpoint behind", async () => {
  const here = await runSuite('node:test', {}, webhookSuites);
  expect(here.output).toMatch(/# pass 1\n# fail 1\n/);
  const before = await service.held();
  const { output } = await runSuite('node:test', { ...service.env, ...(await wayIn()) }, webhookSuites);
  expect(output).toMatch(/# pass 1\n# fail 1\n/);
  expect(output).toContain('as it should');
  expect(service.asked.filter((line) => line.startsWith('DELETE /v1/webhooks/we_'))).toHaveLength(2);
  expect(await service.held()).toEqual({ credits: before.credits - 20, endpoints: [] });
});

it.each([
  [
    { SVC_WEBHOOK_URL: 'ftp://hooks.example.com' },
    'SVC_WEBHOOK_URL is ftp://hooks.example.com; expected an http or https',
  ],
  [{ SVC_WEBHOOK_URL: 'hooks.example.com' }, 'SVC_WEBHOOK_URL is hooks.example.com; expected an http or https'],
  [{ SVC_WEBHOOK_URL: 'https://hooks.example.com' }, 'SVC_WEBHOOK_PORT is missing; set it to the port of this machine'],
  [
    { SVC_WEBHOOK_URL: 'https://hooks.example.com', SVC_WEBHOOK_PORT: '70000' },
    'SVC_WEBHOOK_PORT is 70000; set it to the port of this machine',
  ],
])('refuses %o, naming the variable and the remedy', (env, wanted) => {
  expect(() => realTarget({ ...service.env, ...env })).toThrow(wanted);
});

it('refuses a target without an address or a key, and one that it does not know, naming the variable', async () => {
  const { SVC_API_KEY, ...keyless } = service.env;
  expect(SVC_API_KEY).toBe(service.account.key);
  for (const [env, wanted] of [
    [keyless, 'the environment lacks SVC_API_KEY'],
    [{ SVC_TARGET: 'real', SVC_API_KEY: 'svc_sk_x' }, 'the environment lacks SVC_BASE_URL'],
    [{ SVC_TARGET: 'stage' }, 'SVC_TARGET is stage; expected real or emulator'],
  ] as const) {
    const { code, output } = await runSuite('node:test', env);
    expect(code).toBe(1);
    expect(output).toContain(wanted);
  }
});
