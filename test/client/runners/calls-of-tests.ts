import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { startEmulator } from '../../../src/index.ts';
import { SuiteFolder } from '../../support/suite-folder.ts';
import { commandOf, hasFixtures, PYTEST, pytestSuite, type Runner, suiteOf } from './runner-suites.ts';

/** Passes requests on to the emulator, and keeps the control operations among them: ids are left out. */
async function countingProxy(url: string): Promise<{ url: string; calls: string[] }> {
  const calls: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming;
    if (path.startsWith('/_emulator')) calls.push(`${method} ${path.split('?')[0]?.replace(/\w+_\w{10,}/g, ':id')}`);
    const passed = request(url + path, { method, headers }, (answer: IncomingMessage) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}

/** The control operations that the tests of a suite call, in order; pytest first asks once whether an emulator runs. */
async function callsOf(files: Record<string, string>, [program = '', ...line]: readonly string[]) {
  await using emulator = await startEmulator();
  const { url, calls } = await countingProxy(emulator.url);
  const folder = new SuiteFolder(files);
  const env = { SVC_BASE_URL: url, SVC_REPORT_TESTS: '1' };
  const { code, output } = await folder.runCommand(program, line, env);
  expect(code, output).toBe(0);
  expect((await emulator.control.listTests()).map(({ outcome }) => outcome)).toEqual(['passed', 'passed']);
  return calls.filter((each) => !each.endsWith('/health'));
}

const BEGIN = 'POST /_emulator/accounts';
const SPENT = 'GET /_emulator/accounts/:id/usage';
const END = 'PATCH /_emulator/tests/:id';

/** A test that checks its cost, and one that does not. */
export async function callsFewOperations(runner: Runner): Promise<void> {
  const spent = hasFixtures(runner) || runner === 'jest' ? 'toHaveSpent' : undefined;
  const expected = runner === 'jest' ? 'expect(svc.account)' : 'expect(account)';
  const tests = [
    { title: 'is free', work: spent ? `await ${expected}.toHaveSpent({ credits: 0 });` : '' },
    { title: 'asks for nothing', work: '' },
  ];
  const from = { vitest: 'vitest', playwright: 'svc-emulator/playwright', jest: '', 'node:test': '' }[runner];
  const head = from && `import { expect } from '${from}';`;
  const calls = await callsOf(suiteOf(runner, tests, head), commandOf(runner));
  expect(calls).toEqual([BEGIN, ...(spent ? [SPENT] : []), END, BEGIN, END]);
}

const PYTHON = `def test_costs_nothing(account):
    assert account.ledger()[0]["balance"] == 1000

def test_asks_for_nothing(account):
    pass
`;

export async function callsFewOperationsInPytest(): Promise<void> {
  expect(await callsOf(pytestSuite(PYTHON), PYTEST)).toEqual([BEGIN, SPENT, END, BEGIN, END]);
}
