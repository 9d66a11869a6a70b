import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { expect, it, vi } from 'vitest';
import { SuiteFolder } from '../../support/suite-folder.ts';
import { toolModules } from '../../tools/installed-tools.mjs';
import { commandOf, type Runner, suiteOf } from './runner-suites.ts';

const TOOLS = await toolModules();
// A run of the runner with all of its test files.
vi.setConfig({ testTimeout: 180_000 });

/** A chat by what no package replaces, and what the client then says of it. */
const HELPERS = `
function chat(account, emulator) {
  const headers = { authorization: 'Bearer ' + account.apiKey, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const request = http.request(emulator.baseUrl + '/chat/completions', { method: 'POST', headers }, (answer) => {
      answer.resume().on('end', () => (answer.statusCode === 200 ? resolve() : reject(new Error('' + answer.statusCode))));
    });
    request.on('error', reject).end(JSON.stringify({ model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Hello.' }] }));
  });
}
async function readsTheLedger(account, emulator) {
  const wrong = await expect(account).toHaveSpent({ credits: 0 }).then(() => 'passed', (error) => error.message);
  expect(wrong).toContain('got 1 credit spent');
  await expect(account).toHaveSpent({ credits: 1 });
  await emulator.waitFor.idle();
}`;
const REPLACEMENT = 'async () => new Response(\'{"ok":true}\', { status: 200 })';

/** A test file of a suite: what it replaces, by the title of the test. */
interface Replaced {
  before?: string;
  replaces: Record<string, string>;
}

const VITEST: Record<string, Replaced> = {
  globals: {
    before: `import { afterEach, vi } from 'vitest';
import { Agent, MockAgent, setGlobalDispatcher } from 'undici';
const { request } = http;
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  http.request = request;
  setGlobalDispatcher(new Agent());
});`,
    replaces: {
      'a stubbed fetch': `vi.stubGlobal('fetch', ${REPLACEMENT});`,
      'a spied fetch': `vi.spyOn(globalThis, 'fetch').mockImplementation(${REPLACEMENT});`,
      'fake timers': 'vi.useFakeTimers();',
      'every fake timer':
        "vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });",
      'a mocked agent': 'const agent = new MockAgent(); agent.disableNetConnect(); setGlobalDispatcher(agent);',
      'a replaced http': "http.request = () => { throw new Error('no http'); };",
    },
  },
  msw: {
    before: `import { afterEach } from 'vitest';
import { HttpResponse, http as handle } from 'msw';
import { setupServer } from 'msw/node';
const server = setupServer(handle.all('*', () => HttpResponse.json({ ok: true })));
afterEach(() => server.close());`,
    replaces: { MSW: "server.listen({ onUnhandledRequest: 'error' });" },
  },
  nock: {
    before: `import { afterEach } from 'vitest';
import nock from 'nock';
afterEach(() => nock.enableNetConnect());`,
    replaces: { nock: 'nock.disableNetConnect();' },
  },
  'happy-dom': { replaces: { 'happy-dom': "document.body.innerHTML = '<p>page</p>';" } },
  jsdom: { replaces: { jsdom: "document.body.innerHTML = '<p>page</p>';" } },
};

const JEST: Record<string, Replaced> = {
  globals: {
    before: 'afterEach(() => { jest.useRealTimers(); jest.restoreAllMocks(); });',
    replaces: {
      'a spied fetch': `jest.spyOn(globalThis, 'fetch').mockImplementation(${REPLACEMENT});`,
      'modern fake timers': 'jest.useFakeTimers();',
    },
  },
  jsdom: { replaces: { jsdom: "document.body.innerHTML = '<p>page</p>';" } },
};

const HEADS = {
  vitest: "import http from 'node:http';\nimport { expect } from 'vitest';",
  jest: "const http = require('node:http');",
};

/** A test pays once, replaces something, and then states what it has spent. */
function fileOf(runner: keyof typeof HEADS, name: string, { before = '', replaces }: Replaced): string {
  const tests = Object.entries(replaces).map(([title, code]) => {
    return { title, work: `await chat(account, emulator); ${code} await readsTheLedger(account, emulator);` };
  });
  const text = suiteOf(runner, tests, [HEADS[runner], before, HELPERS].join('\n'))['a.test.js'] ?? '';
  return name.includes('dom') ? `/** @${runner}-environment ${name} */\n${text}` : text;
}

/** Vitest loads the packages of its environments from where it is installed itself. */
const FROM_TOOLS = `
import { register } from 'node:module';
const hook = ${JSON.stringify(`export const resolve = (name, context, next) =>
  next(name, /^(?:jsdom|happy-dom)$/.test(name) ? { ...context, parentURL: '${pathToFileURL(path.join(TOOLS, 'any.js'))}' } : context);`)};
register('data:text/javascript,' + encodeURIComponent(hook));`;

async function runSuite(runner: Runner, files: Record<string, string>) {
  const { 'a.test.js': _, ...configs } = suiteOf(runner, []);
  const folder = new SuiteFolder({ ...configs, 'hook.mjs': FROM_TOOLS, ...files });
  for (const name of ['msw', 'nock', 'jest-environment-jsdom']) {
    symlinkSync(path.join(TOOLS, name), folder.file(path.join('node_modules', name)));
  }
  const [program = '', ...line] = commandOf(runner);
  return folder.runCommand(program, line, { NODE_OPTIONS: `--import ${folder.file('hook.mjs')}` });
}

it.each([
  ['vitest', VITEST, 10],
  ['jest', JEST, 3],
] as const)('reads the ledger past all that a test of %s replaces', async (runner, replaced, count) => {
  const files = Object.entries(replaced).map(([name, each]) => [`${name}.test.js`, fileOf(runner, name, each)]);
  const { code, output } = await runSuite(runner, Object.fromEntries(files));
  expect(code, output).toBe(0);
  expect(stripVTControlCharacters(output)).toMatch(new RegExp(`Tests:? .*\\b${count} passed`));
});

it('reads the ledger where Jest replaces timers before it is loaded', async () => {
  const config = { 'jest.config.json': JSON.stringify({ fakeTimers: { enableGlobally: true } }) };
  const file = fileOf('jest', 'globals', { replaces: { 'timers of the configuration': '' } });
  const { code, output } = await runSuite('jest', { ...config, 'a.test.js': file });
  expect(code, output).toBe(0);
});

it('says what to do where Vitest replaces timers before it is loaded', async () => {
  const test = `import { vi } from 'vitest';
vi.useFakeTimers();
const { test } = await import('svc-emulator/vitest');
test('pays', async ({ account }) => {});`;
  const { code, output } = await runSuite('vitest', { 'a.test.js': test });
  expect([code, output]).toEqual([1, expect.stringContaining('Turn fake timers on in the test')]);
});
