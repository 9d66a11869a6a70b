import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { SuiteFolder } from '../support/suite-folder.ts';
import { CUT_OFF, REFUSED } from './cut-off.ts';

const SHOP = path.join(import.meta.dirname, 'shop');
const PATIENCE = { timeout: 300_000 };

it("passes the shop's tests in CI with a fresh emulator and without a network [I149]", PATIENCE, async () => {
  const folder = new SuiteFolder(SHOP);
  const ci = await folder.runCommand('bash', ['ci.sh'], { ...CUT_OFF, NO_COLOR: '1' });
  expect(ci.output).toMatch(/Tests +6 passed/);
  expect(ci.output).not.toMatch(REFUSED);
  expect(ci.output).toMatch(/^The run made \d+ requests and cost 12 credits \(5 charges, 1 refund\)\.$/m);
  expect(ci.code).toBe(0);
  const spend = JSON.parse(readFileSync(folder.file('spend.json'), 'utf8'));
  expect(spend.by_account).toContainEqual(
    expect.objectContaining({
      account: 'sells a song that can be played',
      credits: 3,
    }),
  );
});
