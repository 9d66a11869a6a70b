import assert from 'node:assert/strict';
import { expect, it } from 'vitest';
import { type CommandRun, commandHere } from '../../support/command-here.ts';
import { CheckedSuite, idsIn, resultsOf, SMALL_CLIENT, SMALL_HEAD, suiteHere } from '../checked-suite.ts';

const SPENT = ['--only', 'spent.*'];

/** Work that is told the number of its run. */
function counted(work: (run: CommandRun, count: number) => Promise<unknown>) {
  let runs = 0;
  return suiteHere((run) => {
    runs += 1;
    return work(run, runs);
  });
}

/** From its fourth run on every second one fails, whatever the service says. */
async function flaky(run: CommandRun, count: number): Promise<void> {
  assert.equal((await run.chat()).status, 200);
  assert.ok(count < 4 || count % 2 === 0, 'it fails by itself');
}

it('calls nothing caught because of a suite that fails by itself', async () => {
  const { report } = await (await counted(flaky)).check(...SPENT, '--jobs', '1');
  expect(Object.values(resultsOf(report))).not.toContain('caught');
});

/** Two tests: one fails by itself in its fifth run, the other reads what a message costs. */
async function halfFlaky(run: CommandRun, count: number): Promise<void> {
  await run.test('returns a message', async (key) => {
    assert.equal((await run.chat(key)).status, 200);
    assert.notEqual(count, 5, 'it fails by itself');
  });
  await run.test('books what a message costs', async (key) => {
    const { usage } = (await run.chat(key)).body;
    assert.deepEqual(usage, { credits_spent: 1, credits_remaining: 999 });
  });
}

it('tries a violation at another test if one that fails by itself does not confirm its catch', async () => {
  const { output, report } = await (await counted(halfFlaky)).check(...SPENT, '--jobs', '1', '--seed', '5');
  expect(resultsOf(report), output).toEqual({ 'spent.zero': 'caught', 'spent.one_more': 'caught' });
  const tests = report.violations.map(({ test }) => test);
  expect(new Set(tests)).toEqual(new Set(['books what a message costs']));
});

/** From its fifth run on it passes from a cache, as turbo and nx do. */
async function cached(run: CommandRun, count: number): Promise<void> {
  if (count < 5) assert.equal((await run.chat()).status, 200);
}

it('says of runs that pass without a request that they come from a cache', async () => {
  const { exitCode, report, stderr } = await (await counted(cached)).check(...SPENT, '--jobs', '1');
  expect([exitCode, Object.values(resultsOf(report))]).toEqual([3, ['not_exercised', 'not_exercised']]);
  expect(stderr).toContain('Make its runner run every test again: turbo --force');
});

/** An app that orders for its users. */
const APP = `${SMALL_HEAD}
const { createServer } = await import('node:http');
createServer(async (request, response) => {
  if (request.url === '/ready') return response.end('ready');
  const { body } = await chat();
  response.end(JSON.stringify({ spent: body.usage?.credits_spent }));
}).listen(Number(process.env.PORT), '127.0.0.1');`;

/** The suite that asks it. */
async function asksTheApp({ env }: CommandRun): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${env.PORT}/order`);
  assert.deepEqual(await answer.json(), { spent: 1 });
}

const REMAINING = ['--only', 'spent.zero,remaining.stale'];
const OF_SPENT = { 'spent.zero': 'caught', 'remaining.stale': 'missed' };

it('measures a suite by the app that it asks', async () => {
  const start = ['--start', 'node app.mjs', '--ready', 'http://127.0.0.1:{port}/ready'];
  const suite = new CheckedSuite({ ...SMALL_CLIENT, 'app.mjs': APP }, await commandHere(asksTheApp));
  const { exitCode, report, output } = await suite.check(...REMAINING, ...start);
  expect(resultsOf(report), output).toEqual(OF_SPENT);
  expect([exitCode, idsIn(report, 'failed')]).toEqual([1, ['tests-catch-violations']]);
});
