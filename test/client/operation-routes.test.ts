import { expect, it } from 'vitest';
import { CONTROL_OPERATIONS } from '../../src/control/control-routes.ts';
import type { Operation } from '../../src/service/http/operation.ts';

/** Excludes operations that a browser opens or that return a stream of bytes. */
function isCalled({ name, answer }: Operation): boolean {
  const isCallable = typeof answer !== 'string' || ['nothing', 'text/html'].includes(answer);
  return isCallable && name !== 'openSession';
}

function lineOf({ name, method, path, body }: Operation): string {
  return `  ${name}: ['${method}', '${path}', '${body ? 'body' : 'query'}'],`;
}

// `npx vitest run test/client -u` writes the file again.
it('contains a file without imports that lists the method and path of each control operation that clients can call by name', async () => {
  const file = [
    '/**',
    ' * Written by test/client/operation-routes.test.ts: the method and path of each control operation that can be called by',
    ' * name, and where the fields go that its path does not name.',
    ' */',
    'export const OPERATION_ROUTES = {',
    ...CONTROL_OPERATIONS.filter(isCalled).map(lineOf),
    '} as const;',
    '',
  ];
  await expect(file.join('\n')).toMatchFileSnapshot('../../src/control/operation-routes.ts');
});
