import { expect, it } from 'vitest';
import { CONTROL } from '../../src/control/control-routes.ts';
import type { Operation } from '../../src/service/http/operation.ts';

/** What is called by name: not what a browser opens, and no stream or file of bytes. */
function isCalled({ name, stream, answer }: Operation): boolean {
  const isCallable = typeof answer !== 'string' || ['nothing', 'text/html', 'text/plain'].includes(answer);
  return isCallable && !stream && name !== 'openSession';
}

function lineOf({ name, method, path, body }: Operation): string {
  return `  ${name}: ['${method}', '${path}', '${body ? 'body' : 'query'}'],`;
}

// `npx vitest run test/client -u` writes the file anew.
it('has the route of every operation of the control surface in a file that loads nothing', async () => {
  const file = [
    "import type { OperationName } from '../control/operation-types.ts';",
    '',
    '/** Method and path of an operation, and where the fields go that its path does not name. */',
    "type OperationRoute = readonly [method: string, path: string, takes: 'body' | 'query'];",
    '',
    '/** Written by test/client/operation-routes.test.ts: what a caller has to know of the control surface to call it. */',
    'export const OPERATION_ROUTES: Readonly<Record<OperationName, OperationRoute>> = {',
    ...CONTROL.filter(isCalled).map(lineOf),
    '};',
    '',
  ];
  await expect(file.join('\n')).toMatchFileSnapshot('../../src/control/operation-routes.ts');
});
