import { expect, it } from 'vitest';
import { realTarget } from '../../../src/base/config/real-target.ts';
import { runPaid, runSuite } from './both-targets-suite.ts';
import { startStandIn } from './real-stand-in.ts';

const service = await startStandIn(5000);

it("skips in Node's own runner what the service has no door for, with the reason", async () => {
  const { code, output } = await runSuite('node:test', service.env);
  expect(output).toMatch(/# pass 2\n[\s\S]*# fail 0\n[\s\S]*# todo 2\n/);
  expect(output).toContain('it moves or reads the emulator’s clock');
  expect(code).toBe(0);
});

it("runs no further test in Node's own runner once --max-credits of exec is reached, and exits with 1", async () => {
  const before = await service.account.balance();
  const { code, output } = await runPaid('node:test', service.env);
  expect(output).toMatch(/# pass 2\n# fail 1\n/);
  expect(output).toContain('Not run: the run has spent 20 credits, and --max-credits is 15.');
  expect(output).toContain('The run cost 20 credits; expected at most 15 (--max-credits).');
  expect(code).toBe(1);
  expect(await service.account.balance()).toBe(before - 20);
});

const NAMED = { SVC_TARGET: 'real', SVC_API_KEY: 'svc_sk_x' };
type Refused = [what: string, env: Record<string, string>, fault: string];
const refusedUrl = (url: string, fault: string): Refused => [url, { ...NAMED, SVC_BASE_URL: url }, fault];

it.each<Refused>([
  refusedUrl('http://api.example.com', 'SVC_BASE_URL is http://api.example.com; expected an https URL'),
  refusedUrl('https://bob:pass-word-1@api.example.com', 'is https://api.example.com with a user; leave that out'),
  refusedUrl('https://api.example.com/v1?k=pass-word-1', 'is https://api.example.com with a query; leave that out'),
  refusedUrl('https://api.example.com/#pass-word-1', 'is https://api.example.com with a fragment; leave that out'),
  refusedUrl('api.example.com', 'SVC_BASE_URL is no URL; expected an https URL'),
  ['no key', { SVC_TARGET: 'real', SVC_BASE_URL: 'https://api.example.com' }, 'the environment lacks SVC_API_KEY'],
  ['no address', NAMED, 'the environment lacks SVC_BASE_URL'],
  ['another target', { SVC_TARGET: 'stage' }, 'SVC_TARGET is stage; expected real or emulator'],
])('refuses %s, naming the variable, the remedy and no password', (_, env, fault) => {
  const read = () => realTarget(env);
  expect(read).toThrow(fault);
  expect(read).not.toThrow('pass-word-1');
});

it.each([
  ['https://api.example.com//', 'https://api.example.com'],
  ['https://api.example.com/media/v1/', 'https://api.example.com/media'],
  ['http://127.0.0.1:4600/v1', 'http://127.0.0.1:4600'],
  ['http://[::1]:4600', 'http://[::1]:4600'],
])('reads the address %s as %s', (SVC_BASE_URL, url) => {
  expect(realTarget({ ...NAMED, SVC_BASE_URL })).toMatchObject({ url });
});
