import { expect, it } from 'vitest';
import { MeasuredSuite, mutated, NODE_HEAD, verdicts } from './measured-suite.ts';

const SHORT = ['--trust', '--only', 'spent.*'];

/** Every second run fails, whatever the service says. */
const FLAKY = `
const { existsSync, readFileSync, writeFileSync } = await import('node:fs');
const run = existsSync('runs') ? Number(readFileSync('runs', 'utf8')) + 1 : 1;
writeFileSync('runs', String(run));
assert.equal((await chat()).status, 200);
assert.ok(run === 1 || run % 2 === 0, 'it fails by itself');`;

it('gives no verdict where a suite that fails by itself passes under the same lie', async () => {
  const { exitCode, report } = await mutated({ text: FLAKY }, SHORT);
  expect(exitCode).toBe(0);
  const found = report();
  expect(verdicts(found)).toEqual({ 'spent.zero': 'survived', 'spent.one_more': 'no_verdict' });
  expect(found.measured.placebos.noticed).toBeGreaterThan(0);
  expect(found.families).toEqual({ money: { told: 1, noticed: 0 } });
});

/** Two tests: one fails by itself in its second run, the other reads what a message costs. */
const HALF_FLAKY = `${NODE_HEAD}import { appendFileSync, statSync } from 'node:fs';
test('answers a message', async () => {
  assert.equal((await chat()).status, 200);
  appendFileSync('turns', '.');
  assert.notEqual(statSync('turns').size, 2, 'it fails by itself');
});
test('books what a message costs', async () => {
  const { usage } = await (await chat()).json();
  assert.deepEqual(usage, { credits_spent: 1, credits_remaining: 999 });
});
`;

it('tries a lie at other tests where the notice of one that fails by itself is not confirmed', async () => {
  const suite = new MeasuredSuite({ 'half.test.mjs': HALF_FLAKY }, [process.execPath, 'half.test.mjs']);
  const { code, output, report } = await suite.measure(['--only', 'spent.*', '--jobs', '1', '--seed', '5']);
  expect(code, output).toBe(0);
  const of = (name: string) => report.lies.filter(({ unit }) => unit === name).map(({ verdict }) => verdict);
  expect(of('answers a message').filter((verdict) => verdict !== 'survived')).toEqual(['no_verdict']);
  expect(new Set(of('books what a message costs'))).toEqual(new Set(['noticed']));
  expect(report.families).toEqual({ money: { told: 2, noticed: 2 } });
});

/** From its third run on it passes from a cache, as turbo and nx do. */
const CACHED = `
const { existsSync, readFileSync, writeFileSync } = await import('node:fs');
const run = existsSync('runs') ? Number(readFileSync('runs', 'utf8')) + 1 : 1;
writeFileSync('runs', String(run));
if (run < 3) assert.equal((await chat()).status, 200);`;

it('gives no verdict on runs that pass without a request, and says that they come from a cache', async () => {
  const { exitCode, report, stderr } = await mutated({ text: CACHED }, SHORT);
  expect(exitCode).toBe(3);
  expect(verdicts(report())).toEqual({ 'spent.zero': 'no_verdict', 'spent.one_more': 'no_verdict' });
  expect(stderr).toContain('Have its runner run every test anew: turbo --force');
  // With three baseline runs the third is the first of them.
  const again = await mutated({ text: CACHED }, ['--only', 'spent.*']);
  expect([again.exitCode, again.report().error?.message]).toEqual([3, expect.stringContaining('as if from a cache')]);
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

it('measures a suite by the app that it asks', async () => {
  const start = ['--start', 'node suite.mjs app', '--ready', 'http://127.0.0.1:{port}/ready'];
  const args = [...SHORT, '--only', 'remaining.stale', ...start];
  const { exitCode, report, stderr } = await mutated({ text: WITH_APP }, args);
  expect(exitCode, stderr).toBe(0);
  expect(verdicts(report())).toEqual({
    'spent.zero': 'noticed',
    'spent.one_more': 'noticed',
    'remaining.stale': 'survived',
  });
});

const PYTHON = `import json, os, unittest, urllib.request

class Chat(unittest.TestCase):
    def test_costs_a_credit(self):
        order = {"model": "svc-rp-mini", "messages": [{"role": "user", "content": "Good evening."}]}
        headers = {"authorization": "Bearer " + os.environ["SVC_API_KEY"], "content-type": "application/json"}
        url = os.environ["SVC_BASE_URL"] + "/v1/chat/completions"
        request = urllib.request.Request(url, json.dumps(order).encode(), headers)
        with urllib.request.urlopen(request) as answer:
            body = json.load(answer)
        self.assertEqual(body["usage"]["credits_spent"], 1)

if __name__ == "__main__":
    unittest.main()
`;

it('measures a suite of Python with one key and no fixtures, and proposes a line of Python', async () => {
  const suite = new MeasuredSuite({ 'suite.py': PYTHON }, ['python3', 'suite.py']);
  const { code, output, report } = await suite.measure(['--only', 'spent.*', '--only', 'remaining.stale']);
  expect(code, output).toBe(0);
  expect(verdicts(report)).toEqual({
    'spent.zero': 'noticed',
    'spent.one_more': 'noticed',
    'remaining.stale': 'survived',
  });
  const survivor = report.lies.find(({ verdict }) => verdict === 'survived');
  expect(survivor?.assertion).toMatch(/^assert body\["usage"\]\["credits_remaining"\] == \d+$/);
});
