import { expect, it } from 'vitest';
import { SuiteFolder } from '../support/suite-folder.ts';

/** Both are red where they run: the story fails by itself. */
const SUITE = `
import { exploreTest, mutateTest } from 'svc-emulator/vitest';
const story = () => { throw new Error('it ran'); };
exploreTest('explores', story);
mutateTest('mutates', story);
`;

it.each([
  ['SVC_EXPLORE', '1', '2 skipped'],
  ['SVC_MUTATE', '1', '2 skipped'],
  ['SVC_EXPLORE', '0', '2 failed'],
])('skips tests that search where %s is %s: %s', async (name, value, outcome) => {
  const suite = new SuiteFolder({ 'search.test.mjs': SUITE });
  const vitest = suite.file('node_modules/.bin/vitest');
  const { output } = await suite.runCommand(process.execPath, [vitest, 'run'], { [name]: value, NO_COLOR: '1' });
  expect(output).toContain(outcome);
  expect(output.includes('it ran')).toBe(value !== '1');
});
