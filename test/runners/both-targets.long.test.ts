import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { SuiteFolder } from '../support/suite-folder.ts';
import { outcomes, pytestSuite, pytestWebhooks, ran, runSuite, skipped, webhookSuites } from './both-targets-suite.ts';
import { hasPytest } from './failed-suite.ts';
import { startStandIn, wayIn } from './real-stand-in.ts';

const CLIENT = path.join(import.meta.dirname, '..', '..', 'src', 'python', 'svc_emulator.py');
const service = await startStandIn(5000);

it('runs twenty tests on an emulator, and thirteen of them unchanged on the service, skipping the others', async () => {
  expect(Object.fromEntries(await outcomes({}))).toEqual({ passed: [...ran, ...skipped] });
  service.asked.length = 0;
  expect(Object.fromEntries(await outcomes(service.env))).toEqual({ passed: ran, skipped });
  expect(service.asked.filter((line) => !/^(?:GET|POST) \/v1\//.test(line))).toEqual([]);
});

it.each([
  ['jest', /Tests: +2 skipped, 2 passed, 4 total/],
  ['playwright', /2 skipped\n\s+2 passed/],
  ['node:test', /# pass 2\n[\s\S]*# fail 0\n[\s\S]*# todo 2\n/],
] as const)('skips in %s what the service has no door for, with the reason, and runs the rest', async (runner, sum) => {
  const here = await runSuite(runner, {});
  expect(here.code, here.output).toBe(0);
  const { code, output } = await runSuite(runner, service.env);
  expect(output).toMatch(sum);
  if (runner !== 'playwright') expect(output).toContain('it moves or reads the emulator’s clock');
  expect(code).toBe(0);
});

it.each([
  ['vitest', /"numPassedTests":1,"numFailedTests":1\b/],
  ['jest', /Tests: +1 failed, 1 passed, 2 total/],
  ['playwright', /1 failed\n[\s\S]*1 passed/],
] as const)('receives webhooks in %s at a public address, and leaves no endpoint behind', async (runner, sum) => {
  const here = await runSuite(runner, {}, webhookSuites);
  expect(here.output).toMatch(sum);
  const before = await service.held();
  const { output } = await runSuite(runner, { ...service.env, ...(await wayIn()) }, webhookSuites);
  expect(output).toMatch(sum);
  expect(output).toContain('as it should');
  expect(await service.held()).toEqual({ credits: before.credits - 20, endpoints: [] });
});

it.runIf(hasPytest)(
  'skips with pytest what the service has no door for, with the reason, and runs the rest',
  async () => {
    const client = readFileSync(CLIENT, 'utf8');
    const files = {
      'conftest.py': 'pytest_plugins = ["svc_emulator"]',
      'svc_emulator.py': client,
      'test_a.py': pytestSuite,
    };
    const line = ['-m', 'pytest', '-rs', '-p', 'no:cacheprovider'];
    const here = await new SuiteFolder(files).runCommand('python3', line);
    expect(here.output).toMatch(/7 passed/);
    const { code, output } = await new SuiteFolder(files).runCommand('python3', line, service.env);
    expect(output).toMatch(/3 passed, 4 skipped/);
    expect(output).toContain("not on the real service (SVC_TARGET=real): it moves or reads the emulator's clock");
    expect(output).toContain('it wants an account of 0 credits alone');
    expect(code).toBe(0);
  },
);

it.runIf(hasPytest)('receives webhooks with pytest at a public address, and leaves no endpoint behind', async () => {
  const files = {
    'conftest.py': 'pytest_plugins = ["svc_emulator"]',
    'svc_emulator.py': readFileSync(CLIENT, 'utf8'),
    'test_a.py': pytestWebhooks,
  };
  const line = ['-m', 'pytest', '-p', 'no:cacheprovider'];
  const here = await new SuiteFolder(files).runCommand('python3', line);
  expect(here.output).toMatch(/1 failed, 2 passed/);
  const before = await service.held();
  const { output } = await new SuiteFolder(files).runCommand('python3', line, { ...service.env, ...(await wayIn()) });
  expect(output).toMatch(/1 failed, 2 passed/);
  expect(output).toContain('as it should');
  expect(await service.held()).toEqual({ credits: before.credits - 30, endpoints: [] });
});
