import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { CheckReport } from '../../../src/check/report.ts';
import { emptyFolder, SpawnedProgram } from '../../cli/spawned-program.ts';
import { type CommandRun, commandHere } from '../../support/command-here.ts';
import { ALL, checked, reportIn, sixTests } from '../checked.ts';

function triedIn({ checks }: CheckReport, id: string) {
  return checks.find((check) => check.id === id)?.tried;
}

it('tries the same fault in several tests within one run, if the suite uses the test fixtures', async () => {
  const suite = sixTests(({ status }) => assert.notEqual(status, 500));
  let runs = 0;
  const counted = (run: CommandRun) => {
    runs += 1;
    return suite(run);
  };
  const { exitCode, report } = await checked(counted, [...ALL, '--only', 'empty_balance,lost_request']);
  expect([exitCode, report.findings]).toEqual([0, []]);
  expect(triedIn(report, 'stops-without-credits')).toEqual({ run: 1, of: 1 });
  expect(triedIn(report, 'survives-lost-messages')).toEqual({ run: 1, of: 1 });
  // Two faults at six requests would need twelve runs, one for each.
  expect(runs).toBeLessThan(12);
});

it('names the one test of each finding, whether that test failed or passed', async () => {
  const suite = sixTests(async ({ at, status, ask }) => {
    if (at === 5 && status === 500) assert.equal(await ask(), 201);
    else if (status === 500 || (status === 0 && at === 6)) assert.notEqual(await ask(), 500);
  });
  const { report, stdout } = await checked(suite, [...ALL, '--only', 'status:500,lost_response']);
  const found = report.findings.map(({ check, test }) => [check, test?.name, test?.file]).sort();
  expect(found).toEqual([
    ['pays-once', 'returns 6', 'suite.mjs'],
    ['survives-lost-messages', 'returns 5', 'suite.mjs'],
  ]);
  expect(stdout).toMatch(/^ {4}Test "returns 6" \(suite\.mjs[^)]*\): paid_again: /m);
});

it('confirms a failure of one test of a long suite, and prints the command that replays it, while later tests still run', async () => {
  let hasFailed = false;
  let goOn = () => {};
  const shown = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const suite = sixTests(async ({ at, status }) => {
    assert.notEqual(status, 500);
    if (status === 0 && at === 1) {
      hasFailed = true;
      assert.equal(15, 16, 'too few credits');
    }
    // The last test is slow, and after a failure it ends only once the finding is printed.
    if (at === 6) await pause(2100);
    if (at === 6 && hasFailed) await shown;
  });
  const folder = emptyFolder();
  const options = [...ALL, '--only', 'lost_request', '--report', 'found.json'];
  const program = new SpawnedProgram(['check', ...options, '--', ...(await commandHere(suite))], {}, folder);
  const finding = /Found: survives-lost-messages under lost_request at .*\n {2}Replay: .* check --replay c1-\S+ -- /;
  await program.heard('stderr', (text) => finding.test(text) || undefined);
  goOn();
  expect(await program.ended()).toBe(1);
  expect(reportIn(folder).findings).toMatchObject([
    { check: 'survives-lost-messages', test: { name: 'returns 1' }, error: expect.stringMatching(/^too few credits/) },
  ]);
});
