import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { CheckReport } from '../../../src/check/report.ts';
import { SpawnedProgram } from '../../cli/spawned-program.ts';
import { checked, reportIn, suiteWith, TEST_COMMAND } from './packed-suite.ts';

function triedIn({ checks }: CheckReport, id: string) {
  return checks.find((check) => check.id === id)?.tried;
}

it('carries a scenario for each test in one run of a suite with fixtures, if all of them ask for the same', async () => {
  const { exitCode, report, runs } = await checked(
    suiteWith('assert.ok(status >= 0);'),
    '--only',
    'empty_balance,lost_request',
  );
  expect([exitCode, report.findings]).toEqual([0, []]);
  expect(triedIn(report, 'stops-without-credits')).toEqual({ run: 8, of: 8 });
  expect(triedIn(report, 'survives-lost-messages')).toEqual({ run: 8, of: 8 });
  expect(runs).toBeLessThan(40);
});

it('names of what it finds the one test that it belongs to, whether that test failed or passed', async () => {
  const retry = 'if (at === 5 && status === 500) assert.equal(await ask(key), 201);';
  const again = 'else if (status === 500 || (status === 0 && at === 6)) await ask(key);';
  const { report, stdout } = await checked(suiteWith(`${retry} ${again}`), '--only', 'status:500,lost_response');
  const found = report.findings.map(({ check, test }) => [check, test?.name, test?.file]).sort();
  expect(found).toEqual([
    ['pays-once', 'returns 6', 'suite.mjs'],
    ['survives-lost-messages', 'returns 5', 'suite.mjs'],
  ]);
  expect(stdout).toMatch(/^ {4}Test "returns 6" \(suite\.mjs[^)]*\): paid_again: /m);
});

it('confirms what one test of a long suite has failed under, and says how to replay it, while its run goes on', async () => {
  // The last test takes its time, and after a failure all of it until the finding is on the screen.
  const until = "while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 50));";
  const last = `if (at === 8) { await new Promise((resolve) => setTimeout(resolve, 2500)); if (existsSync('failed')) ${until} }`;
  const first = "if (status === 0 && at === 1) { writeFileSync('failed', ''); assert.fail('no answer came'); }";
  const folder = suiteWith(`${first} ${last}`);
  const options = ['--only', 'lost_request', '--budget', '0', '--jobs', '2', '--report', 'found.json'];
  const program = new SpawnedProgram(['check', ...options, ...TEST_COMMAND], {}, folder.file('.'));
  const isFound = () =>
    /Found: survives-lost-messages under lost_request: .*\n {2}Replay: .* check --replay c1-\S+ -- /.test(
      program.stderr,
    );
  await new Promise<void>((resolve) => {
    program.child.stderr?.on('data', () => isFound() && resolve());
  });
  writeFileSync(folder.file('go'), '');
  expect(await program.ended()).toBe(1);
  expect(reportIn(folder).findings).toMatchObject([
    { check: 'survives-lost-messages', test: { name: 'returns 1' }, error: 'no answer came' },
  ]);
});
