import { expect, it } from 'vitest';
import { runSuite } from './both-targets-suite.ts';
import { startStandIn } from './real-stand-in.ts';

const service = await startStandIn(5000);

it("skips in Node's own runner what the service has no door for, with the reason", async () => {
  const { code, output } = await runSuite('node:test', service.env);
  expect(output).toMatch(/# pass 2\n[\s\S]*# fail 0\n[\s\S]*# todo 2\n/);
  expect(output).toContain('it moves or reads the emulator’s clock');
  expect(code).toBe(0);
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
