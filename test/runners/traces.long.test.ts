import { expect, it } from 'vitest';
import {
  failed,
  hasPytest,
  leavesTrace,
  leavesTraceOfPytest,
  node,
  playwright,
  runNode,
  runPlaywright,
  runVitest,
  twice,
  vitest,
} from './failed-suite.ts';

it("reads the name of a failed test from what Node's own runner prints as a tree", () =>
  leavesTrace(node, runNode('spec')));

it('reads the name of a failed test from the one line of Playwright', () =>
  leavesTrace(playwright, runPlaywright, { REPORTER: 'line' }));

it.skipIf(!hasPytest)('reads the name of a failed test from the list of pytest', () => leavesTraceOfPytest('-v'));

it('keeps the traces of tests of one name in two files apart', async () => {
  const { names } = await failed(twice(vitest), runVitest);
  expect(names).toHaveLength(2);
});
