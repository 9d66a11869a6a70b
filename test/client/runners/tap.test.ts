import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { tapFailures } from '../../../src/client/runners/tap.ts';
import { fileOf } from '../../cli/spawned-program.ts';

const SUITE = `import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
test('pays', () => assert.equal(1, 2));
test('sells', () => {});
describe('the shop', () => {
  test('opens', () => { throw new Error('no answer came'); });
});
`;

it('reads the name, place and error of each failed test of node:test, and no duration', () => {
  const file = fileOf('pays.test.mjs', SUITE);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=tap', file], { encoding: 'utf8', env });
  expect(tapFailures(stdout)).toEqual([
    { name: 'pays', file, line: 3, error: expect.stringMatching(/^Expected values to be strictly equal:\n\n1 !== 2/) },
    { name: 'opens', file, line: 6, error: 'Thrown: no answer came' },
  ]);
});
