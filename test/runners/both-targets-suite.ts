import path from 'node:path';
import { expect } from 'vitest';
import { SuiteFolder } from '../support/suite-folder.ts';

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

/** A test of webhooks, as it is written for an emulator; `more` goes on when its delivery has come. */
const RECEIVES = (more: string) => `
    const { body: endpoint } = await call(account, emulator, 'POST', '/webhooks', { url: inbox.url, events: ['image.generation.succeeded'] });
    const listed = (await call(account, emulator, 'GET', '/webhooks')).body.webhooks.find(({ id }) => id === endpoint.id);
    is(listed.url, inbox.url);
    await expectSpend(account, { credits: 10 }, () => call(account, emulator, 'POST', '/images/generations', { prompt: 'a barn' }));
    const message = await inbox.wait();
    is(JSON.parse(message.body).type, 'image.generation.succeeded');
    is(message.signature.verified, true);
    is(message.signature.endpointId, endpoint.id);
    is((await inbox.messages()).length, 1);
    const forged = { 'svc-signature': 't=' + Math.floor(Date.now() / 1000) + ',v1=' + '0'.repeat(64) };
    await fetch(inbox.url, { method: 'POST', headers: forged, body: '{}' });
    is((await inbox.messages())[1].signature.verified, false);
    ${more}`;

/** The same in each runner: a test that passes, and one that fails with its endpoint open. */
export const webhookSuites = {
  vitest: {
    'a.test.js': `import { expectSpend, test } from 'svc-emulator/vitest';${CALLS}
test('receives', async ({ emulator, account, inbox }) => {${RECEIVES('')}});
test('fails', async ({ emulator, account, inbox }) => {${RECEIVES("throw new Error('as it should')")}});`,
  },
  playwright: {
    'a.spec.mjs': `import { expectSpend, test } from 'svc-emulator/playwright';${CALLS}
test('receives', async ({ emulator, account, inbox }) => {${RECEIVES('')}});
test('fails', async ({ emulator, account, inbox }) => {${RECEIVES("throw new Error('as it should')")}});`,
    'playwright.config.mjs': 'export default { workers: 1, timeout: 60000, reporter: "list" };',
  },
  jest: {
    'a.test.js': `const { emulatorFixtures, expectSpend } = require('svc-emulator/jest');\njest.setTimeout(60000);
const svc = emulatorFixtures();${CALLS}
test('receives', async () => { const { emulator, account, inbox } = svc; ${RECEIVES('')}});
test('fails', async () => { const { emulator, account, inbox } = svc; ${RECEIVES("throw new Error('as it should')")}});`,
    'jest.config.json': '{}',
  },
  'node:test': {
    'a.test.mjs': `import { test } from 'node:test';\nimport { emulatorFixtures, expectSpend } from 'svc-emulator/node-test';
const svc = emulatorFixtures();${CALLS}
test('receives', async () => { const { emulator, account, inbox } = svc; ${RECEIVES('')}});
test('fails', async () => { const { emulator, account, inbox } = svc; ${RECEIVES("throw new Error('as it should')")}});`,
  },
};

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

/** Webhooks with pytest: by an inbox, by a receiver of the test's own, and in a test that fails. */
export const pytestWebhooks = `
import json
import pytest
from svc_emulator import is_genuine

PICTURE = {"prompt": "a barn"}
EVENTS = ["image.generation.succeeded"]

def receives(account, inbox):
    endpoint = account.subscribe(inbox.url, EVENTS)
    with account.spending(credits=10):
        account.call("POST", "/v1/images/generations", PICTURE)
    message = inbox.wait()
    assert json.loads(message["body"])["type"] == EVENTS[0]
    assert message["signature"] == {"verified": True, "endpoint_id": endpoint["id"], "reason": None}
    assert len(inbox.messages()) == 1

def test_receives(account, inbox):
    receives(account, inbox)

def test_fails(account, inbox):
    receives(account, inbox)
    raise RuntimeError("as it should")

def test_serves_a_receiver(account, receiver):
    def make_app(secret):
        def app(environ, start):
            body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
            genuine = is_genuine(body, environ.get("HTTP_SVC_SIGNATURE"), secret)
            start("204 No Content" if genuine and environ["PATH_INFO"] == "/events" else "400 Bad Request", [])
            return []
        return app

    served = receiver(make_app, EVENTS, path="/events")
    account.call("POST", "/v1/images/generations", PICTURE)
    assert served.wait(EVENTS[0])["response_status"] == 204
    assert [each["type"] for each in served.deliveries()] == EVENTS
    assert served.deliveries()[0]["endpoint_id"] == served.endpoint_id
`;

export const ran = TESTS.filter(([, , runsOnBoth]) => runsOnBoth).map(([title]) => title);
export const skipped = TESTS.filter(([, , runsOnBoth]) => !runsOnBoth).map(([title]) => title);

const MODULES = path.join(import.meta.dirname, '..', '..', 'node_modules');
const LINES = {
  vitest: ['vitest/vitest.mjs', 'run', '--testTimeout=60000', '--reporter=json'],
  jest: ['jest/bin/jest.js', '--rootDir=.', '--watchman=false', '--verbose'],
  playwright: ['@playwright/test/cli.js', 'test'],
};

/** Runs the suite of a runner on the target that the variables name. */
export function runSuite(runner: keyof typeof suites, env: Record<string, string>, of: typeof webhookSuites = suites) {
  const folder = new SuiteFolder({ 'package.json': '{}', ...of[runner] });
  if (runner === 'node:test') {
    return folder.runCommand(process.execPath, ['--test', '--test-reporter=tap', 'a.test.mjs'], env);
  }
  const [program = '', ...line] = LINES[runner];
  return folder.runCommand(process.execPath, [path.join(MODULES, program), ...line], env);
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
