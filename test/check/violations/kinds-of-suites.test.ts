import { expect, it } from 'vitest';
import { idsIn, resultsOf, suiteOf } from '../checked-suite.ts';

const SPENT = ['--only', 'spent.*'];

/** From its fourth run on every second one fails, whatever the service says. */
const FLAKY = `
const { existsSync, readFileSync, writeFileSync } = await import('node:fs');
const run = existsSync('runs') ? Number(readFileSync('runs', 'utf8')) + 1 : 1;
writeFileSync('runs', String(run));
assert.equal((await chat()).status, 200);
assert.ok(run < 4 || run % 2 === 0, 'it fails by itself');`;

it('calls nothing caught because of a suite that fails by itself', async () => {
  const { report } = await suiteOf(FLAKY).check(...SPENT, '--jobs', '1');
  expect(Object.values(resultsOf(report))).not.toContain('caught');
});

/** Two tests: one fails by itself in its fifth run, the other reads what a message costs. */
const HALF_FLAKY = `import { appendFileSync, statSync } from 'node:fs';
test('returns a message', async (key) => {
  assert.equal((await chat(key)).status, 200);
  appendFileSync('turns', '.');
  assert.notEqual(statSync('turns').size, 5, 'it fails by itself');
});
test('books what a message costs', async (key) => {
  const { usage } = (await chat(key)).body;
  assert.deepEqual(usage, { credits_spent: 1, credits_remaining: 999 });
});
`;

it('tries a violation at another test if one that fails by itself does not confirm its catch', async () => {
  const { output, report } = await suiteOf(HALF_FLAKY).check(...SPENT, '--jobs', '1', '--seed', '5');
  expect(resultsOf(report), output).toEqual({ 'spent.zero': 'caught', 'spent.one_more': 'caught' });
  const tests = report.violations.map(({ test }) => test);
  expect(new Set(tests)).toEqual(new Set(['books what a message costs']));
});

/** From its fifth run on it passes from a cache, as turbo and nx do. */
const CACHED = `
const { existsSync, readFileSync, writeFileSync } = await import('node:fs');
const run = existsSync('runs') ? Number(readFileSync('runs', 'utf8')) + 1 : 1;
writeFileSync('runs', String(run));
if (run < 5) assert.equal((await chat()).status, 200);`;

it('says of runs that pass without a request that they come from a cache', async () => {
  const { exitCode, report, stderr } = await suiteOf(CACHED).check(...SPENT, '--jobs', '1');
  expect([exitCode, Object.values(resultsOf(report))]).toEqual([3, ['not_exercised', 'not_exercised']]);
  expect(stderr).toContain('Have its runner run every test again: turbo --force');
});

/** An app that orders for its users, and the suite that asks the app. */
const WITH_APP = `
if (process.argv[2] === 'app') {
  const { createServer } = await import('node:http');
  createServer(async (request, response) => {
    if (request.url === '/ready') return response.end('ready');
    const { body } = await chat();
    response.end(JSON.stringify({ spent: body.usage?.credits_spent }));
  }).listen(Number(process.env.PORT), '127.0.0.1');
} else {
  const answer = await fetch('http://127.0.0.1:' + process.env.PORT + '/order');
  assert.deepEqual(await answer.json(), { spent: 1 });
}`;

const REMAINING = [...SPENT, '--only', 'remaining.stale'];
const OF_SPENT = { 'spent.zero': 'caught', 'spent.one_more': 'caught', 'remaining.stale': 'missed' };

it('measures a suite by the app that it asks', async () => {
  const start = ['--start', 'node suite.mjs app', '--ready', 'http://127.0.0.1:{port}/ready'];
  const { exitCode, report, output } = await suiteOf(WITH_APP).check(...REMAINING, ...start);
  expect(resultsOf(report), output).toEqual(OF_SPENT);
  expect([exitCode, idsIn(report, 'failed')]).toEqual([1, ['tests-catch-violations']]);
});
