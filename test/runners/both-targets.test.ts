import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { SuiteFolder } from '../support/suite-folder.ts';
import { pytestSuite, ran, skipped, suites } from './both-targets-suite.ts';
import { hasPytest } from './failed-suite.ts';
import { startStandIn } from './real-stand-in.ts';

const MODULES = path.join(import.meta.dirname, '..', '..', 'node_modules');
const service = await startStandIn(5000);

const LINES = {
  vitest: ['vitest/vitest.mjs', 'run', '--testTimeout=60000', '--reporter=json'],
  jest: ['jest/bin/jest.js', '--rootDir=.', '--watchman=false', '--verbose'],
  playwright: ['@playwright/test/cli.js', 'test'],
};

function run(runner: keyof typeof suites, env: Record<string, string>) {
  const folder = new SuiteFolder({ 'package.json': '{}', ...suites[runner] });
  if (runner === 'node:test') {
    return folder.runCommand(process.execPath, ['--test', '--test-reporter=tap', 'a.test.mjs'], env);
  }
  const [program = '', ...line] = LINES[runner];
  return folder.runCommand(process.execPath, [path.join(MODULES, program), ...line], env);
}

interface JsonReport {
  testResults: { assertionResults: { title: string; status: string; failureMessages: string[] }[] }[];
}

async function outcomes(env: Record<string, string>): Promise<Map<string, string[]>> {
  const { stdout, output } = await run('vitest', env);
  const json = stdout.slice(stdout.indexOf('{"num'));
  expect(json, output).not.toBe('');
  const report: JsonReport = JSON.parse(json);
  const byOutcome = new Map<string, string[]>();
  for (const { title, status, failureMessages } of report.testResults.flatMap((each) => each.assertionResults)) {
    const outcome = status === 'pending' ? 'skipped' : status;
    const line = failureMessages.length > 0 ? `${title}: ${failureMessages[0]?.slice(0, 200)}` : title;
    byOutcome.set(outcome, [...(byOutcome.get(outcome) ?? []), line]);
  }
  return byOutcome;
}

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
  const here = await run(runner, {});
  expect(here.code, here.output).toBe(0);
  const { code, output } = await run(runner, service.env);
  expect(output).toMatch(sum);
  if (runner !== 'playwright') expect(output).toContain('it moves or reads the emulator’s clock');
  expect(code).toBe(0);
});

it.runIf(hasPytest)(
  'skips with pytest what the service has no door for, with the reason, and runs the rest',
  async () => {
    const client = readFileSync(path.join(MODULES, '..', 'src', 'python', 'svc_emulator.py'), 'utf8');
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

it('refuses a target without an address or a key, and one that it does not know, naming the variable', async () => {
  const { SVC_API_KEY, ...keyless } = service.env;
  expect(SVC_API_KEY).toBe(service.account.key);
  for (const [env, wanted] of [
    [keyless, 'the environment lacks SVC_API_KEY'],
    [{ SVC_TARGET: 'real', SVC_API_KEY: 'svc_sk_x' }, 'the environment lacks SVC_BASE_URL'],
    [{ SVC_TARGET: 'stage' }, 'SVC_TARGET is stage; expected real or emulator'],
  ] as const) {
    const { code, output } = await run('node:test', env);
    expect(code).toBe(1);
    expect(output).toContain(wanted);
  }
});
