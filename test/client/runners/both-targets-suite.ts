import { expect } from 'vitest';
import { MAIN } from '../../cli/spawned-program.ts';
import { SuiteFolder } from '../../support/suite-folder.ts';
import { commandOf, type Runner, suiteOf, testsOf } from './runner-suites.ts';

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
const post = (account, emulator, path, body) => call(account, emulator, 'POST', path, body);
const chat = (account, emulator, more) =>
  post(account, emulator, '/chat/completions', { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Hello.' }], ...more });
const is = (given, wanted) => {
  if (given !== wanted) throw new Error('expected ' + wanted + ', and got ' + JSON.stringify(given));
};
`;

/** Needs nothing that the service itself does not have. */
const BOTH = testsOf({
  'answers a chat': `is((await chat(account, emulator)).status, 200)`,
  'charges a chat': `await expectSpend(account, { credits: 1, refunds: 0 }, () => chat(account, emulator))`,
  'streams a chat': `is((await chat(account, emulator, { stream: true })).body.includes('[DONE]'), true)`,
  'refuses an unknown model': `is((await chat(account, emulator, { model: 'none' })).status, 404)`,
  'refuses a wrong key': `is((await chat({ apiKey: 'svc_sk_wrong' }, emulator)).status, 401)`,
  'refuses an empty prompt': `is((await post(account, emulator, '/images/generations', { prompt: '' })).status, 400)`,
  'lists models': `is((await call(account, emulator, 'GET', '/models')).body.object, 'list')`,
  'knows its balance': `is((await call(account, emulator, 'GET', '/account')).body.credits, await account.balance())`,
  'charges a picture': `await expectSpend(account, { credits: 10 }, () => post(account, emulator, '/images/generations', { prompt: 'a barn' }))`,
  'waits for a song': `const { body } = await post(account, emulator, '/music/generations', { prompt: 'a waltz', seconds: 30, n: 1 }); is((await emulator.waitFor.job(body.data[0].id)).status, 'succeeded')`,
  'waits for a clip by its account': `const { body } = await post(account, emulator, '/videos/generations', { model: 'vid_vyctfclc', prompt: 'a pier', seconds: 5 }); is((await account.waitFor.job(body.id)).id, body.id)`,
  'charges nothing for a refusal': `await expectSpend(account, { credits: 0 }, () => chat(account, emulator, { messages: [] }))`,
  'opens the same account by hand': `is((await chat(await emulator.account({ credits: 1000 }), emulator)).status, 200)`,
});

const EMULATOR_ALONE = testsOf({
  'moves the clock': `await emulator.clock.advance({ days: 8 })`,
  'sets a fault': `await account.faults.add({ match: {}, effect: { status: 503 } }); is((await chat(account, emulator)).status, 503)`,
  'sets the progression': `await emulator.setProgression({ mode: 'polls', value: 2, accountId: account.id })`,
  'keeps a snapshot': `await (await emulator.snapshot('one')).restore()`,
  'runs out of credits': `is((await chat(await emulator.account({ credits: 0 }), emulator)).status, 402)`,
  'receives a webhook': `const { url } = emulator.inbox(); is(url.includes('/_emulator/inbox/'), true)`,
  'reads the ledger': `is((await account.ledger()).length, 2)`,
});

const TESTS = [...BOTH, ...EMULATOR_ALONE];
/** Two that the service has what it takes for, and two others. */
const TWO_OF_EACH = TESTS.filter(({ title }) => /^(?:answers|charges) a chat|moves the|receives/.test(title));

const ORDER = `is((await post(account, emulator, '/images/generations', { prompt: 'a barn' })).status, 200)`;
/** Three pictures of ten credits, each in a test of its own. */
const ORDERS = testsOf({ 'orders one': ORDER, 'orders two': ORDER, 'orders three': ORDER });

export const ran = BOTH.map(({ title }) => title);
export const skipped = EMULATOR_ALONE.map(({ title }) => title);

/** Runs four tests with a runner on the target that the variables name, two of which the emulator alone can answer. */
export function runSuite(runner: Runner, env: Record<string, string>) {
  const [program = '', ...line] = commandOf(runner);
  return new SuiteFolder(suiteOf(runner, TWO_OF_EACH, CALLS)).runCommand(program, line, env);
}

const LIMITED = [MAIN, 'exec', '--max-credits', '15', '--'];

/** Runs the paid suite of a runner below `exec --max-credits 15`. */
export function runPaid(runner: Runner, env: Record<string, string>) {
  const folder = new SuiteFolder(suiteOf(runner, ORDERS, CALLS));
  const report = runner === 'vitest' ? ['--reporter=json'] : [];
  return folder.runCommand(process.execPath, [...LIMITED, ...commandOf(runner), ...report], env);
}

interface JsonReport {
  testResults: { assertionResults: { title: string; status: string; failureMessages: string[] }[] }[];
}

/** What Vitest reports of the twenty tests, by outcome. */
export async function outcomes(env: Record<string, string>): Promise<Map<string, string[]>> {
  const [program = '', ...line] = commandOf('vitest');
  const folder = new SuiteFolder(suiteOf('vitest', TESTS, CALLS));
  const { stdout, output } = await folder.runCommand(program, [...line, '--reporter=json'], env);
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
