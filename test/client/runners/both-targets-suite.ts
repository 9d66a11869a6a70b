import path from 'node:path';
import { expect } from 'vitest';
import { SuiteFolder } from '../../support/suite-folder.ts';

/** What a test of either target does, written once: fixtures only, by the client of the suite's own. */
const CALLS = `
const call = async (account, emulator, method, path, body) => {
  const response = await fetch(emulator.baseUrl + path, {
    method,
    headers: { authorization: 'Bearer ' + account.apiKey, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
};
const chat = (account, emulator, more) =>
  call(account, emulator, 'POST', '/chat/completions', { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Hello.' }], ...more });
const is = (given, wanted) => {
  if (given !== wanted) throw new Error('expected ' + wanted + ', and got ' + JSON.stringify(given));
};
`;

/** Each test by its title: what it does, and whether the service itself has what it needs. */
const TESTS: readonly (readonly [title: string, work: string, runsOnBoth: boolean])[] = [
  ['answers a chat', `is((await chat(account, emulator)).status, 200)`, true],
  ['charges a chat', `await expectSpend(account, { credits: 1, refunds: 0 }, () => chat(account, emulator))`, true],
  ['streams a chat', `is((await chat(account, emulator, { stream: true })).body.includes('[DONE]'), true)`, true],
  ['refuses an unknown model', `is((await chat(account, emulator, { model: 'none' })).status, 404)`, true],
  ['refuses a wrong key', `is((await chat({ apiKey: 'svc_sk_wrong' }, emulator)).status, 401)`, true],
  [
    'refuses an empty prompt',
    `is((await call(account, emulator, 'POST', '/images/generations', { prompt: '' })).status, 400)`,
    true,
  ],
  ['lists models', `is((await call(account, emulator, 'GET', '/models')).body.object, 'list')`, true],
  [
    'knows its balance',
    `is((await call(account, emulator, 'GET', '/account')).body.credits, await account.balance())`,
    true,
  ],
  [
    'charges a picture',
    `await expectSpend(account, { credits: 10 }, () => call(account, emulator, 'POST', '/images/generations', { prompt: 'a barn' }))`,
    true,
  ],
  [
    'waits for a song',
    `const { body } = await call(account, emulator, 'POST', '/music/generations', { prompt: 'a waltz', seconds: 30, n: 1 }); is((await emulator.waitFor.job(body.data[0].id)).status, 'succeeded')`,
    true,
  ],
  [
    'waits for a clip by its account',
    `const { body } = await call(account, emulator, 'POST', '/videos/generations', { model: 'vid_vyctfclc', prompt: 'a pier', seconds: 5 }); is((await account.waitFor.job(body.id)).id, body.id)`,
    true,
  ],
  [
    'charges nothing for a refusal',
    `await expectSpend(account, { credits: 0 }, () => chat(account, emulator, { messages: [] }))`,
    true,
  ],
  [
    'opens the same account by hand',
    `is((await chat(await emulator.account({ credits: 1000 }), emulator)).status, 200)`,
    true,
  ],
  ['moves the clock', `await emulator.clock.advance({ days: 8 })`, false],
  [
    'sets a fault',
    `await account.faults.add({ match: {}, effect: { status: 503 } }); is((await chat(account, emulator)).status, 503)`,
    false,
  ],
  ['sets the progression', `await emulator.setProgression({ mode: 'polls', value: 2, accountId: account.id })`, false],
  ['keeps a snapshot', `await (await emulator.snapshot('one')).restore()`, false],
  ['runs out of credits', `is((await chat(await emulator.account({ credits: 0 }), emulator)).status, 402)`, false],
  ['receives a webhook', `const { url } = emulator.inbox(); is(url.includes('/_emulator/inbox/'), true)`, false],
  ['reads the ledger', `is((await account.ledger()).length, 2)`, false],
];

const linesOf = (tests: typeof TESTS, line: (title: string, work: string) => string) =>
  tests.map(([title, work]) => line(`'${title}'`, work)).join('\n');

const byFixtures = (tests: typeof TESTS) =>
  CALLS + linesOf(tests, (title, work) => `test(${title}, async ({ emulator, account }) => { ${work} });`);
const byHooks = (tests: typeof TESTS) =>
  `const svc = emulatorFixtures();${CALLS}${linesOf(tests, (title, work) => `test(${title}, async () => { const { emulator, account } = svc; ${work} });`)}`;

const ONE_OF_EACH = TESTS.filter(([title]) => /^(?:answers|charges) a chat|moves the|receives/.test(title));

/** The suite as each runner has it: all of it with Vitest, one test of each kind with the others. */
export const suites = {
  vitest: { 'a.test.js': `import { expectSpend, test } from 'svc-emulator/vitest';${byFixtures(TESTS)}` },
  playwright: {
    'a.spec.mjs': `import { expectSpend, test } from 'svc-emulator/playwright';${byFixtures(ONE_OF_EACH)}`,
    'playwright.config.mjs': 'export default { workers: 1, timeout: 60000, reporter: "list" };',
  },
  jest: {
    'a.test.js': `const { emulatorFixtures, expectSpend } = require('svc-emulator/jest');\njest.setTimeout(60000);${byHooks(ONE_OF_EACH)}`,
    'jest.config.json': '{}',
  },
  'node:test': {
    'a.test.mjs': `import { test } from 'node:test';\nimport { emulatorFixtures, expectSpend } from 'svc-emulator/node-test';${byHooks(ONE_OF_EACH)}`,
  },
};

const ORDERS = ['one', 'two', 'three'].map(
  (name) =>
    [
      `orders ${name}`,
      `is((await call(account, emulator, 'POST', '/images/generations', { prompt: 'a barn' })).status, 200)`,
      true,
    ] as const,
);

/** Three pictures of ten credits, each in a test of its own. */
export const paidSuites: typeof suites = {
  vitest: { 'a.test.js': `import { expectSpend, test } from 'svc-emulator/vitest';${byFixtures(ORDERS)}` },
  playwright: {
    ...suites.playwright,
    'a.spec.mjs': `import { expectSpend, test } from 'svc-emulator/playwright';${byFixtures(ORDERS)}`,
  },
  jest: {
    ...suites.jest,
    'a.test.js': `const { emulatorFixtures, expectSpend } = require('svc-emulator/jest');\n${byHooks(ORDERS)}`,
  },
  'node:test': {
    'a.test.mjs': `import { test } from 'node:test';\nimport { emulatorFixtures, expectSpend } from 'svc-emulator/node-test';\n${byHooks(ORDERS)}`,
  },
};

/** The same of pytest, whose client has calls of its own. */
export const pytestSuite = `
CHAT = {"model": "svc-rp-mini", "messages": [{"role": "user", "content": "Hello."}]}

def test_answers_a_chat(account):
    assert account.call("POST", "/v1/chat/completions", CHAT)["object"] == "chat.completion"

def test_charges_a_chat(account):
    with account.spending(credits=1, refunds=0):
        account.call("POST", "/v1/chat/completions", CHAT)

def test_waits_for_a_song(emulator, account):
    song = account.call("POST", "/v1/music/generations", {"prompt": "a waltz", "seconds": 30, "n": 1})
    assert emulator.wait.job(song["data"][0]["id"])["status"] == "succeeded"

def test_moves_the_clock(emulator):
    emulator.clock.advance(days=8)

def test_runs_out_of_credits(emulator):
    emulator.account(credits=0)

def test_receives_a_webhook(inbox):
    assert "/_emulator/inbox/" in inbox.url

def test_serves_a_receiver(receiver):
    receiver(lambda environ, start: [], ["image.generation.succeeded"])
`;

/** Three pictures with pytest; the last test takes none of the fixtures. */
export const pytestPaid = `
def order(account):
    account.call("POST", "/v1/images/generations", {"prompt": "a barn"})

def test_orders_one(account):
    order(account)

def test_orders_two(account):
    order(account)

def test_asks_by_itself():
    pass
`;

export const ran = TESTS.filter(([, , runsOnBoth]) => runsOnBoth).map(([title]) => title);
export const skipped = TESTS.filter(([, , runsOnBoth]) => !runsOnBoth).map(([title]) => title);

const MODULES = path.join(import.meta.dirname, '..', '..', '..', 'node_modules');
const LINES = {
  vitest: ['vitest/vitest.mjs', 'run', '--testTimeout=60000', '--reporter=json'],
  jest: ['jest/bin/jest.js', '--rootDir=.', '--watchman=false', '--verbose'],
  playwright: ['@playwright/test/cli.js', 'test'],
};

/** The arguments of Node. */
function lineOf(runner: keyof typeof suites): string[] {
  if (runner === 'node:test') return ['--test', '--test-reporter=tap', 'a.test.mjs'];
  const [program = '', ...line] = LINES[runner];
  return [path.join(MODULES, program), ...line];
}

/** Runs the suite of a runner on the target that the variables name. */
export function runSuite(runner: keyof typeof suites, env: Record<string, string>) {
  const folder = new SuiteFolder({ 'package.json': '{}', ...suites[runner] });
  return folder.runCommand(process.execPath, lineOf(runner), env);
}

const MAIN = path.join(MODULES, '..', 'dist', 'main.js');
export const LIMITED = [MAIN, 'exec', '--max-credits', '15', '--'];

/** Runs the paid suite of a runner below `exec --max-credits 15`. */
export function runPaid(runner: keyof typeof suites, env: Record<string, string>) {
  const folder = new SuiteFolder({ 'package.json': '{}', ...paidSuites[runner] });
  return folder.runCommand(process.execPath, [...LIMITED, process.execPath, ...lineOf(runner)], env);
}

interface JsonReport {
  testResults: { assertionResults: { title: string; status: string; failureMessages: string[] }[] }[];
}

/** What Vitest reports of the twenty tests, by outcome. */
export async function outcomes(env: Record<string, string>): Promise<Map<string, string[]>> {
  const { stdout, output } = await runSuite('vitest', env);
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
