import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { CheckReport } from '../../../src/check/report.ts';
import { SpawnedProgram } from '../../cli/spawned-program.ts';
import { runCommand } from '../../support/run-command.ts';
import { SuiteFolder } from '../../support/suite-folder.ts';

/** Eight tests that send a message; `MORE` is what they do with an answer. */
const SUITE = `import assert from 'node:assert/strict';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { emulatorFixtures } from 'svc-emulator/node-test';
const svc = emulatorFixtures();
appendFileSync('runs.txt', 'run\\n');
const chat = async (text) => {
  try {
    const answer = await fetch(svc.emulator.url + '/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: 'Bearer ' + svc.account.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'svc-rp-mini', messages: [{ role: 'user', content: text }] }),
    });
    return answer.status;
  } catch {
    return 0;
  }
};
for (let at = 1; at <= 8; at += 1) {
  test('answers ' + at, async () => {
    const status = await chat('Good evening.');
    MORE
  });
}
`;

const TEST_COMMAND = ['--', process.execPath, '--test', 'shop.test.mjs'];

function suiteWith(more: string): SuiteFolder {
  return new SuiteFolder({ 'shop.test.mjs': SUITE.replace('MORE', more) });
}

async function checked(folder: SuiteFolder, ...options: readonly string[]) {
  const line = ['check', '--budget', '0', '--jobs', '2', '--report', 'found.json', ...options, ...TEST_COMMAND];
  const ended = await runCommand(line, {}, folder.file('.'));
  return {
    ...ended,
    report: reportIn(folder),
    runs: readFileSync(folder.file('runs.txt'), 'utf8').split('\n').length - 1,
  };
}

function reportIn(folder: SuiteFolder): CheckReport {
  return JSON.parse(readFileSync(folder.file('found.json'), 'utf8'));
}

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

it('finds what one of the tests does under its scenario, and lays it to no other', async () => {
  const retry = "if (at === 5 && status === 500) assert.equal(await chat('Good evening.'), 201);";
  const { report } = await checked(
    suiteWith(`${retry} else if (status === 500) await chat('Good evening.');`),
    '--only',
    'status:500',
  );
  expect(report.findings).toMatchObject([
    { kind: 'fault', check: 'survives-lost-messages', test: { name: 'answers 5', file: 'shop.test.mjs' } },
  ]);
});

it('names of what it finds the test at whose step it was, although that test passed', async () => {
  const again = "if (status === 0 && at === 5) await chat('Good evening.');";
  const { report, stdout } = await checked(suiteWith(again), '--only', 'lost_answer');
  expect(report.findings).toMatchObject([{ check: 'pays-once', test: { name: 'answers 5', file: 'shop.test.mjs' } }]);
  expect(stdout).toMatch(/^ {4}Test "answers 5" \(shop\.test\.mjs[^)]*\): paid_again: /m);
});

it('passes nothing that failed next to others and whose own run the budget ended', async () => {
  // Each run after the one that fails waits until it is ended.
  const waits = "if (existsSync('failed')) await new Promise((resolve) => setTimeout(resolve, 600_000));";
  const more = `if (status === 0 && at === 5) { ${waits} writeFileSync('failed', ''); assert.fail('no answer came'); }`;
  const folder = suiteWith(more);
  const options = ['--only', 'lost_request', '--budget', '30s', '--require', 'survives-lost-messages'];
  const { exitCode, stdout, report } = await checked(folder, ...options);
  expect([exitCode, report.findings]).toEqual([1, []]);
  const check = report.checks.find(({ id }) => id === 'survives-lost-messages');
  expect(check).toMatchObject({
    state: 'not_tested',
    why: expect.stringContaining('failed once, and the time was over before it was confirmed: lost_request at'),
  });
  expect(stdout).toContain('--require survives-lost-messages: not tested');
  const [, token = ''] = /--replay (\S+)/.exec(check?.next ?? '') ?? [];
  rmSync(folder.file('failed'));
  expect((await checked(folder, '--replay', token)).exitCode).toBe(1);
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
    { check: 'survives-lost-messages', test: { name: 'answers 1' }, error: 'no answer came' },
  ]);
});
