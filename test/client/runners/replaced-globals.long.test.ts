import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { SuiteFolder } from '../../support/suite-folder.ts';
import { world } from '../../support/world.ts';
import { toolModules } from '../../tools/installed-tools.mjs';
import { fileOf, REPLACEMENT, type Replaced, runSuite } from './replaced-globals.ts';
import { commandOf, suiteOf } from './runner-suites.ts';

const modules = await toolModules('long');

const VITEST: Record<string, Replaced> = {
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

it.each([
  ['vitest', 'MSW, nock, happy-dom and jsdom', VITEST, 4],
  ['jest', 'a spied fetch, fake timers and jsdom', JEST, 3],
] as const)('reads the ledger in tests of the runner %s that use %s', async (runner, _, replaced, count) => {
  const files = Object.entries(replaced).map(([name, each]) => [`${name}.test.js`, fileOf(runner, name, each)]);
  const { code, output } = await runSuite(runner, Object.fromEntries(files), modules);
  expect(code, output).toBe(0);
  expect(stripVTControlCharacters(output)).toMatch(new RegExp(`Tests:? .*\\b${count} passed`));
});

it('reads the ledger if Jest mocks the module http', async () => {
  const { url } = await world();
  const [program = '', ...line] = commandOf('jest');
  const test = { title: 'pays for nothing', work: 'await expect(account).toHaveSpent({ credits: 0 });' };
  const suite = new SuiteFolder(suiteOf('jest', [test], "jest.mock('http');"));
  const { code, output } = await suite.runCommand(program, line, { SVC_BASE_URL: url });
  expect(code, output).toBe(0);
});

it('reads the ledger if Jest replaces timers before svc-emulator is imported', async () => {
  const config = { 'jest.config.json': JSON.stringify({ fakeTimers: { enableGlobally: true } }) };
  const file = fileOf('jest', 'globals', { replaces: { 'timers of the configuration': '' } });
  const { code, output } = await runSuite('jest', { ...config, 'a.test.js': file }, modules);
  expect(code, output).toBe(0);
});
