import { expect, it } from 'vitest';
import { SuiteFolder } from '../../support/suite-folder.ts';
import { commandOf, type Runner, suiteOf } from './runner-suites.ts';

const PAID = `
async function chat(account, emulator) {
  const body = JSON.stringify({ model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Hello.' }] });
  const headers = { authorization: 'Bearer ' + account.apiKey, 'content-type': 'application/json' };
  const answer = await fetch(emulator.baseUrl + '/chat/completions', { method: 'POST', headers, body });
  if (answer.status !== 200) throw new Error('the chat was answered with ' + answer.status);
}`;
const REPLACEMENT = 'async () => new Response(\'{"ok":true}\', { status: 200 })';

const VITEST = `import { afterEach, expect, vi } from 'vitest';
import http from 'node:http';
import { Agent, MockAgent, setGlobalDispatcher } from 'undici';
const { request } = http;
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  http.request = request;
  setGlobalDispatcher(new Agent());
});`;
const JEST = 'afterEach(() => { jest.useRealTimers(); jest.restoreAllMocks(); });';

/** What tests of a runner do to their process, and what their file begins with. */
const REPLACED: [runner: Runner, before: string, replaces: Record<string, string>][] = [
  [
    'vitest',
    VITEST,
    {
      'a stubbed fetch': `vi.stubGlobal('fetch', ${REPLACEMENT});`,
      'a spied fetch': `vi.spyOn(globalThis, 'fetch').mockImplementation(${REPLACEMENT});`,
      'fake timers': 'vi.useFakeTimers();',
      'every fake timer':
        "vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });",
      'a mocked agent': 'const agent = new MockAgent(); agent.disableNetConnect(); setGlobalDispatcher(agent);',
      'a replaced http': "http.request = () => { throw new Error('no http'); };",
    },
  ],
  [
    'jest',
    JEST,
    {
      'a spied fetch': `jest.spyOn(globalThis, 'fetch').mockImplementation(${REPLACEMENT});`,
      'modern fake timers': 'jest.useFakeTimers();',
    },
  ],
];

/** Runs a suite whose tests pay once, replace something, and then state what they have spent. */
async function spending(runner: Runner, before: string, replaces: Record<string, string>, credits: number) {
  const tests = Object.entries(replaces).map(([title, code]) => {
    return {
      title,
      work: `await chat(account, emulator); ${code} await expect(account).toHaveSpent({ credits: ${credits} });`,
    };
  });
  const folder = new SuiteFolder(suiteOf(runner, tests, `${before}\n${PAID}`));
  const [program = '', ...line] = commandOf(runner);
  return folder.runCommand(program, line);
}

it.each(REPLACED)('reads the ledger with %s past whatever a test has replaced', async (runner, before, replaces) => {
  const { code, output } = await spending(runner, before, replaces, 1);
  expect(code, output).toBe(0);
});

it.each(REPLACED)('takes nothing that a test of %s has replaced for an empty ledger', async (...row) => {
  const { code, output } = await spending(...row, 0);
  const complaints = output.split('got 1 credit spent').length - 1;
  expect(code, output).toBe(1);
  expect(complaints).toBeGreaterThanOrEqual(Object.keys(row[2]).length);
});

it('says what to do where timers were replaced before it was loaded', async () => {
  const suite = suiteOf('jest', [{ title: 'pays', work: '' }]);
  const config = { 'jest.config.json': JSON.stringify({ fakeTimers: { enableGlobally: true } }) };
  const folder = new SuiteFolder({ ...suite, ...config });
  const [program = '', ...line] = commandOf('jest');
  const { code, output } = await folder.runCommand(program, line);
  expect([code, output]).toEqual([1, expect.stringContaining('Turn fake timers on in the test')]);
});
