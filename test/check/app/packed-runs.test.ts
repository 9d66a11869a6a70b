import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
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

async function explored(more: string, options: readonly string[] = []) {
  const folder = new SuiteFolder({ 'shop.test.mjs': SUITE.replace('MORE', more) });
  const search = ['status:500', 'empty_balance', 'lost_request'].flatMap((kind) => ['--only', kind]);
  const limits = ['--budget', '0', '--bound', '1', '--jobs', '2', '--no-saved', '--expect-failure', 'empty_balance'];
  const command = ['--report', 'found.json', '--', process.execPath, '--test', 'shop.test.mjs'];
  const line = ['explore', ...search, ...limits, ...options, ...command];
  const { exitCode } = await runCommand(line, {}, folder.file('.'));
  const report = JSON.parse(readFileSync(folder.file('found.json'), 'utf8'));
  return { exitCode, report, runs: readFileSync(folder.file('runs.txt'), 'utf8').split('\n').length - 1 };
}

it('carries a scenario for each test in one run of a suite with fixtures, where all of them ask for the same', async () => {
  const { exitCode, report, runs } = await explored('assert.ok(status >= 0);', ['--skip', 'status:500']);
  expect(report).toMatchObject({ schedules_run: 16, schedules_left: 0, findings: [], unstable: [] });
  expect(report.by_deviation).toEqual({ empty_balance: { run: 8, failed: 0 }, lost_request: { run: 8, failed: 0 } });
  expect(exitCode).toBe(0);
  expect(runs).toBeLessThan(16);
});

it('finds what one of the tests does under its scenario, and lays it to no other', async () => {
  const retry = "if (at === 5 && status === 500) assert.equal(await chat('Good evening.'), 201);";
  const { report } = await explored(`${retry} else if (status === 500) await chat('Good evening.');`, [
    ...['--skip', 'lost_request', '--skip', 'empty_balance'],
  ]);
  expect(report.by_deviation).toEqual({ 'status:500': { run: 8, failed: 1 } });
  const [finding, ...others] = report.findings;
  expect(others).toEqual([]);
  expect(finding).toMatchObject({ kind: 'exit', output: expect.stringContaining('answers 5') });
});

it('names of what it finds the test at whose step it was, although that test passed', async () => {
  const again = "if (status === 0 && at === 5) await chat('Good evening.');";
  const folder = new SuiteFolder({ 'shop.test.mjs': SUITE.replace('MORE', again) });
  const line = ['check', 'app', '--only', 'lost_answer', '--budget', '0', '--report', 'found.json', '--'];
  const { stdout } = await runCommand([...line, process.execPath, '--test', 'shop.test.mjs'], {}, folder.file('.'));
  const { findings, parts } = JSON.parse(readFileSync(folder.file('found.json'), 'utf8'));
  expect(findings).toMatchObject([{ statement: 1, file: 'shop.test.mjs' }]);
  expect(parts.app.findings).toMatchObject([{ code: 'paid_again', site: { name: 'answers 5' } }]);
  expect(stdout).toContain('In test "answers 5" (shop.test.mjs');
});

it('holds nothing that failed beside others and whose own run the budget ended', async () => {
  // Each run after the one that fails waits until it is ended.
  const waits = "if (existsSync('failed')) await new Promise((resolve) => setTimeout(resolve, 600_000));";
  const more = `if (status === 0 && at === 5) { ${waits} writeFileSync('failed', ''); assert.fail('no answer came'); }`;
  const folder = new SuiteFolder({ 'shop.test.mjs': SUITE.replace('MORE', more) });
  const check = (...args: string[]) => runCommand(['check', ...args], {}, folder.file('.'));
  const command = ['--', process.execPath, '--test', 'shop.test.mjs'];
  const only = ['app', '--only', 'lost_request', '--budget', '15s', '--require', '7', '--report', 'found.json'];
  const { exitCode, stdout } = await check(...only, ...command);
  const { findings, statements, parts } = JSON.parse(readFileSync(folder.file('found.json'), 'utf8'));
  expect([exitCode, findings]).toEqual([1, []]);
  const [{ token }, ...others] = parts.app.unconfirmed;
  expect(others).toEqual([]);
  const again = ['--again', token, ...command];
  expect(statements[6]).toMatchObject({
    state: 'not_looked_at',
    why: expect.stringContaining('failed once, and the time was over before it was confirmed: lost_request at'),
    next: expect.stringContaining(['check', ...again].join(' ')),
  });
  expect(stdout).toContain('--require 7: ');
  rmSync(folder.file('failed'));
  expect((await check(...again)).exitCode).toBe(1);
});

it('confirms what one test of a long suite has failed under, and says how to see it again, while its run goes on', async () => {
  // The last test takes its time, and after a failure all of it until the finding is on the screen.
  const until = "while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 50));";
  const last = `if (at === 8) { await new Promise((resolve) => setTimeout(resolve, 2500)); if (existsSync('failed')) ${until} }`;
  const first = "if (status === 0 && at === 1) { writeFileSync('failed', ''); assert.fail('no answer came'); }";
  const folder = new SuiteFolder({ 'shop.test.mjs': SUITE.replace('MORE', `${first} ${last}`) });
  const options = ['--only', 'lost_request', '--budget', '0', '--jobs', '2', '--report', 'found.json'];
  const command = ['--', process.execPath, '--test', 'shop.test.mjs'];
  const program = new SpawnedProgram(['check', 'app', ...options, ...command], {}, folder.file('.'));
  await new Promise<void>((resolve) => {
    program.child.stderr?.on('data', () => {
      if (/Found: the app breaks under lost_request .*\n {2}Again: .* check --again x1-\S+ -- /.test(program.stderr))
        resolve();
    });
  });
  writeFileSync(folder.file('go'), '');
  expect(await program.ended()).toBe(1);
  const { findings, parts } = JSON.parse(readFileSync(folder.file('found.json'), 'utf8'));
  expect(findings).toMatchObject([{ statement: 7, file: 'shop.test.mjs' }]);
  expect(parts.app).toMatchObject({ schedules_left: 0, by_deviation: { lost_request: { run: 8, failed: 1 } } });
  expect(parts.app.findings).toMatchObject([{ tests: [{ name: 'answers 1', error: 'no answer came' }] }]);
});
