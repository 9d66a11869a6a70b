import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { SuiteFolder } from '../../support/suite-folder.ts';
import { commandOf, type Runner, suiteOf } from './runner-suites.ts';

/** Functions for a test file: a chat over `http`, and assertions that the client still reads the ledger. */
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
export const REPLACEMENT = 'async () => new Response(\'{"ok":true}\', { status: 200 })';

/** A test file: its setup code, and the code that replaces globals, by the title of the test. */
export interface Replaced {
  before?: string;
  replaces: Record<string, string>;
}

/** Replacements in Vitest tests that need no mocking package. */
export const VITEST_GLOBALS: Replaced = {
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
};

const HEADS = {
  vitest: "import http from 'node:http';\nimport { expect } from 'vitest';",
  jest: "const http = require('node:http');",
};

/** A test file in which each test sends a chat, replaces something, and then checks its cost. */
export function fileOf(runner: keyof typeof HEADS, name: string, { before = '', replaces }: Replaced): string {
  const tests = Object.entries(replaces).map(([title, code]) => {
    return { title, work: `await chat(account, emulator); ${code} await readsTheLedger(account, emulator);` };
  });
  const text = suiteOf(runner, tests, [HEADS[runner], before, HELPERS].join('\n'))['a.test.js'] ?? '';
  return name.includes('dom') ? `/** @${runner}-environment ${name} */\n${text}` : text;
}

/** Makes Vitest load the packages of its environments from `modules`, not from its own folder. */
const loadingFrom = (modules: string) => `
import { register } from 'node:module';
const hook = ${JSON.stringify(`export const resolve = (name, context, next) =>
  next(name, /^(?:jsdom|happy-dom)$/.test(name) ? { ...context, parentURL: '${pathToFileURL(path.join(modules, 'any.js'))}' } : context);`)};
register('data:text/javascript,' + encodeURIComponent(hook));`;

/** Runs a suite that may use the packages in the folder `modules`. */
export async function runSuite(runner: Runner, files: Record<string, string>, modules?: string) {
  const { 'a.test.js': _, ...configs } = suiteOf(runner, []);
  const [program = '', ...line] = commandOf(runner);
  if (modules === undefined) return new SuiteFolder({ ...configs, ...files }).runCommand(program, line);
  const folder = new SuiteFolder({ ...configs, 'hook.mjs': loadingFrom(modules), ...files });
  for (const name of ['msw', 'nock', 'jest-environment-jsdom']) {
    symlinkSync(path.join(modules, name), folder.file(path.join('node_modules', name)));
  }
  return folder.runCommand(program, line, { NODE_OPTIONS: `--import ${folder.file('hook.mjs')}` });
}
