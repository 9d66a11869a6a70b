import { expect, it } from 'vitest';
import {
  failed,
  hasPytest,
  jest,
  leavesTrace,
  leavesTraceOfPytest,
  node,
  playwright,
  runJest,
  runNode,
  runPlaywright,
  runVitest,
  twice,
  vitest,
} from './failed-suite.ts';

it.each([
  ['Jest', jest, runJest, {}],
  ["Node's own runner", node, runNode('tap'), {}],
  ['Playwright', playwright, runPlaywright, { REPORTER: 'list' }],
] as const)('leaves a trace of a test of %s that fails, and its name in that of the run', (_, files, command, env) =>
  leavesTrace(files, [...command], env),
);

it.skipIf(!hasPytest)('leaves a trace of a test of pytest that fails, and its name in that of the run', () =>
  leavesTraceOfPytest('-q'),
);

it("reads the name of a failed test from what Node's own runner prints as a tree", () =>
  leavesTrace(node, runNode('spec')));

it('reads the name of a failed test from the one line of Playwright', () =>
  leavesTrace(playwright, runPlaywright, { REPORTER: 'line' }));

it.skipIf(!hasPytest)('reads the name of a failed test from the list of pytest', () => leavesTraceOfPytest('-v'));

it('keeps the traces of tests of one name in two files apart', async () => {
  const { names } = await failed(twice(vitest), runVitest);
  expect(names).toHaveLength(2);
});
