import { it } from 'vitest';
import {
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
  vitest,
} from './failed-suite.ts';

it.each([
  ['Vitest', vitest, runVitest, {}],
  ['Jest', jest, runJest, {}],
  ["Node's own runner", node, runNode('tap'), {}],
  ['Playwright', playwright, runPlaywright, { REPORTER: 'list' }],
] as const)('leaves a trace of a test of %s that fails, and its name in that of the run', (_, files, command, env) =>
  leavesTrace(files, [...command], env),
);

it.skipIf(!hasPytest)('leaves a trace of a test of pytest that fails, and its name in that of the run', () =>
  leavesTraceOfPytest('-q'),
);
