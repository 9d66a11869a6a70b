import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { mutated, type SUITES, verdicts } from './measured-suite.ts';

const SHORT = ['--trust', '--only', 'spent.*'];

/** Runs a suite under two lies of the money that an answer reports. */
async function measured(suite: keyof typeof SUITES, verdict: 'noticed' | 'survived') {
  const { exitCode, report, stdout } = await mutated(suite, SHORT);
  expect(exitCode).toBe(0);
  const found = report();
  expect(verdicts(found)).toEqual({ 'spent.zero': verdict, 'spent.one_more': verdict });
  expect(found.families).toEqual({ money: { told: 2, noticed: verdict === 'noticed' ? 2 : 0 } });
  expect(found.measured).toMatchObject({ planned: 2, told: 2, placebos: { run: 2, noticed: 0 } });
  expect(found.control.passed_dead).toEqual([]);
  return stdout;
}

it('says of a suite that looks at the money that it notices what an answer reports of it', async () => {
  await measured('strong', 'noticed');
});

it('prints in at most 40 lines what a suite would not notice, and at what test', async () => {
  const stdout = await measured('statusOnly', 'survived');
  expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
  expect(stdout).toContain('Not caught:\n  - usage.credits_spent is 0 (spent.zero, POST /v1/chat/completions)');
  expect(stdout).toContain(
    '    Passed under it: node suite.mjs\n    How to fix it: Add this assertion to the first test above: assert.equal(body.usage.credits_spent, 1);',
  );
  expect(stdout).toMatch(/^Caught, of the lies that reached a test: money 0 of 2$/m);
});

it('says what noticed a lie, with the last of what the suite printed', async () => {
  const { report } = await mutated('strong', [...SHORT, '--lie', 'spent.zero@POST /v1/chat/completions']);
  expect(report().lies).toMatchObject([{ lie: 'spent.zero', verdict: 'noticed', by: 'assertion', harm: false }]);
  expect(report().lies[0]?.output).toContain('credits_spent: 0');
});

it.each([
  ['a suite that fails by itself', 'red', [], 2, 'The command fails by itself: mend that first.'],
  ['a suite that never asks the emulator', 'mocked', [], 3, 'Let its client use SVC_BASE_URL and SVC_API_KEY'],
  ['a suite that passes with the service dead', 'blind', [], 3, 'The command passes with the service dead too'],
  [
    'a suite that meets nothing of what is asked for',
    'strong',
    ['--only', 'refund.one_of_two'],
    3,
    'Nothing was measured',
  ],
  [
    'a lie that there is not',
    'strong',
    ['--lie', 'refund.nope'],
    2,
    'There is no lie "refund.nope"; the nearest is refund.none',
  ],
  ['a family that there is not', 'strong', ['--only', 'money, mony'], 2, 'There is no lie or family "mony"'],
  ['a field of a lie that has none', 'strong', ['--lie', 'refund.none:usage'], 2, 'refund.none has no field'],
  ['a baseline that there is not', 'strong', ['--baseline', 'none.json'], 2, 'Make it with --update-baseline'],
  ['a trace of no lie', 'strong', ['--trace', 'lie.html'], 2, 'give it with --lie NAME'],
] as const)('refuses %s, with the remedy', async (_what, suite, args, code, message) => {
  const { exitCode, stderr } = await mutated(suite, ['--trust', ...args]);
  expect(stderr).toContain(message);
  expect(exitCode).toBe(code);
});

it('ends with 127 where there is no such command', async () => {
  const { exitCode } = await mutated(
    {
      text: "const { execSync } = await import('node:child_process'); try { execSync('no-such-program', { stdio: 'ignore' }); } catch { process.exit(127); }",
    },
    ['--trust'],
  );
  expect(exitCode).toBe(127);
});

it('leaves nothing beside the suite but the report', async () => {
  const { folder } = await mutated('strong', SHORT);
  expect(existsSync(path.join(folder, 'report.json'))).toBe(true);
  for (const name of ['svc-traces', '.svc-explore', 'data']) expect(existsSync(path.join(folder, name))).toBe(false);
});
