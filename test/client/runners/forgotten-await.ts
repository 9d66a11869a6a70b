import { stripVTControlCharacters } from 'node:util';
import { expect } from 'vitest';
import { SuiteFolder } from '../../support/suite-folder.ts';
import { commandOf, type Runner, suiteOf, testsOf } from './runner-suites.ts';

const PAUSE = 'await new Promise((resolve) => setTimeout(resolve, 300));';

/** Tests that would pass if the missing `await` were not noticed. */
const FORGOTTEN: [title: string, work: string][] = [
  ['passes by a matcher', 'expect(account).toHaveSpent({ credits: 5 });'],
  ['passes by a matcher that is right', 'expect(account).toHaveSpent({ credits: 0 });'],
  ['passes by the opposite', 'expect(account).not.toHaveSpent({ credits: 0 });'],
  ['passes by a function', 'expectSpend(account, { credits: 5 }, () => {});'],
  ['passes long after it', `expect(account).toHaveDelivered('image.generation.failed')?.catch(() => {}); ${PAUSE}`],
];

const AWAITED: [title: string, work: string][] = [
  ['waits for a matcher', 'await expect(account).toHaveSpent({ credits: 0 });'],
  ['waits for the opposite', 'await expect(account).not.toHaveSpent({ credits: 5 });'],
  ['waits for a function', 'await expectSpend(account, { credits: 0 }, () => {});'],
  [
    'tries until it passes',
    'for (const credits of [5, 0]) await expect(account).toHaveSpent({ credits }).catch((error) => { if (credits === 0) throw error; });',
  ],
];

const EXPECT: Partial<Record<Runner, string>> = {
  vitest: "import { expect } from 'vitest';",
  playwright: "import { expect } from 'svc-emulator/playwright';",
};

/** Checks that exactly the tests without `await` fail, and that the error names the missing `await`. */
export async function failsByForgottenAwait(runner: Runner): Promise<void> {
  const usable = (rows: [string, string][]) =>
    rows.filter(([, work]) => runner !== 'node:test' || work.includes('expectSpend'));
  const [awaited, forgotten] = [usable(AWAITED), usable(FORGOTTEN)];
  const tests = testsOf(Object.fromEntries([...awaited, ...forgotten]));
  const folder = new SuiteFolder(suiteOf(runner, tests, EXPECT[runner]));
  const [program = '', ...line] = commandOf(runner);
  const { code, output } = await folder.runCommand(program, line);
  expect(code, output).toBe(1);
  expect(output).toContain('was not awaited. Put await in front of it.');
  // A runner that sees the rejection first reports the assertion with the ledger instead.
  const failed = output.split(/was not awaited\. Put await|Error: Expected \d|Error: Looked for/).length - 1;
  expect(failed, output).toBeGreaterThanOrEqual(forgotten.length);
  const [, passed, ofTap] = /\b(\d+) passed|^# pass (\d+)$/m.exec(stripVTControlCharacters(output)) ?? [];
  expect(Number(passed ?? ofTap), output).toBe(awaited.length);
}
