import { expect, it } from 'vitest';
import { MutateSurvivors, mutate, type StoryParts } from '../../../src/index.ts';
import { MeasuredSuite, mutated, NODE_HEAD } from './measured-suite.ts';

/** Two tests: one answers a message and resets after it, the other one resets first and pays from a new account. */
const SUITE = `${NODE_HEAD}test('resets after it', async () => {
  const body = await (await chat()).json();
  assert.ok(body.choices);
  await svc.emulator.reset();
});
test('resets before it', async () => {
  await svc.emulator.reset();
  const body = await (await chat((await svc.emulator.account({ credits: 7 })).apiKey)).json();
  assert.ok(body.choices);
  assert.equal((await fetch(svc.emulator.url + '/v1/account')).status, 401);
});
`;

it('proposes what sees a lie also for a test that resets the emulator, from what was on record before', async () => {
  const suite = new MeasuredSuite({ 'reset.test.mjs': SUITE }, [process.execPath, '--test', 'reset.test.mjs']);
  const only = ['charge.twice', 'spent.zero'].flatMap((lie) => ['--only', lie]);
  const { code, report, output } = await suite.measure([...only, '--all-units']);
  expect(code, output).toBe(0);
  const spent = /^const \{ credits, refunds \} = await totalSpend\(account\);.*\{ credits: 1, refunds: 0 \}\);$/;
  const answered = 'assert.equal(body.usage.credits_spent, 1);';
  const rows = report.lies.map(({ lie, unit, verdict, assertion }) => [lie, unit, verdict, assertion]);
  for (const unit of ['resets after it', 'resets before it']) {
    expect(rows).toContainEqual(['charge.twice', unit, 'survived', expect.stringMatching(spent)]);
    expect(rows).toContainEqual(['spent.zero', unit, 'survived', answered]);
  }
  expect(rows).toHaveLength(4);
  expect(report.control).toMatchObject({ requests: 2, passed_dead: [] });
});

const CLEANS_UP = `
assert.equal((await chat()).status, 200);
assert.equal((await call('POST', '/_emulator/reset')).status, 204);`;

it('counts what a suite without fixtures asked before it reset the emulator', async () => {
  const { exitCode, report, stderr } = await mutated({ text: CLEANS_UP }, ['--trust', '--only', 'spent.zero']);
  expect(exitCode, stderr).toBe(0);
  expect(report().lies).toMatchObject([
    { lie: 'spent.zero', verdict: 'survived', assertion: 'assert.equal(body.usage.credits_spent, 1);' },
  ]);
});

it('measures a story that resets the emulator, whose account is gone then', async () => {
  const story = async ({ emulator, account }: StoryParts) => {
    const { status } = await fetch(`${emulator.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Good evening.' }] }),
    });
    expect(status).toBe(200);
    await emulator.reset();
  };
  const found = await mutate(story, { only: ['spent.zero'], trust: true, jobs: 1 }).catch((error: unknown) => error);
  expect(found).toBeInstanceOf(MutateSurvivors);
  expect((found as MutateSurvivors).report.lies).toMatchObject([
    { lie: 'spent.zero', verdict: 'survived', assertion: 'assert.equal(body.usage.credits_spent, 1);' },
  ]);
});
