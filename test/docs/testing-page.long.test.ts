import { expect, it } from 'vitest';
import { SuiteFolder } from '../support/suite-folder.ts';
import { readPage } from './follow-page.ts';
import { namedBlocks } from './page-code.ts';

it('passes the suites of the testing page', { timeout: 180_000 }, async () => {
  const files = namedBlocks(readPage('docs/testing.md'), 'ts');
  expect(Object.keys(files)).toEqual(['orders.test.ts', 'expiry.test.ts', 'verdict.test.ts']);

  const { stdout } = await new SuiteFolder(files).run('--reporter=json', '--testTimeout=60000');
  const report = JSON.parse(stdout.slice(stdout.indexOf('{')));
  expect(report).toMatchObject({ numFailedTests: 0, numPassedTests: 4 });
});
