import express from 'express';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CONTROL } from '../../../src/control/control-routes.ts';
import { SERVICE } from '../../../src/service/api/routes.ts';
import { HOOKS } from '../../../src/service/call-flow.ts';
import { PathTable } from '../../../src/service/http/path-table.ts';

const PATHS = [...new Set([...SERVICE, ...CONTROL, ...HOOKS].map(({ path }) => path))];

function tableOf(paths: readonly string[]): PathTable<string> {
  const table = new PathTable<string>();
  for (const path of paths) table.add(path, path);
  return table;
}

/** What the framework itself makes of a path: those without a parameter are tried first. */
function framework(paths: readonly string[]) {
  const router = express.Router({ caseSensitive: true });
  const sorted = paths.toSorted((a, b) => Number(a.includes(':')) - Number(b.includes(':')));
  let found: unknown;
  for (const path of sorted) {
    router.all(path, ({ params }) => {
      found = { value: path, params: { ...params } };
    });
  }
  return (url: string) => {
    found = undefined;
    router({ method: 'GET', url, headers: {} } as never, {} as never, (error?: unknown) => {
      if (error) found = 'refused';
    });
    return found;
  };
}

function lookedUp(table: PathTable<string>, path: string): unknown {
  try {
    const found = table.find(path);
    return found && { value: found.value, params: { ...found.params } };
  } catch (error) {
    return error instanceof URIError ? 'refused' : error;
  }
}

const piece = fc.constantFrom('', 'a', 'B', 'b%2Fc', '%C3%A4', '%ff', '%', 'job_1', '..', 'generations', 'accounts');
const known = fc
  .tuple(
    fc.constantFrom(...PATHS),
    fc.array(piece, { minLength: 4, maxLength: 4 }),
    fc.constantFrom('', '/', '//', '/x'),
  )
  .map(([path, values, end]) => path.replace(/:\w+/g, () => values.pop() ?? '') + end);
const any = fc.array(piece, { maxLength: 5 }).map((pieces) => `/${pieces.join('/')}`);

it('finds for every path what the framework finds, with the same parameters', () => {
  const table = tableOf(PATHS);
  const asked = framework(PATHS);
  fc.assert(
    fc.property(fc.oneof(known, any), (path) => {
      expect(lookedUp(table, path)).toEqual(asked(path));
    }),
    { seed: 20_260_101, numRuns: 2000 },
  );
});

it('goes by a name before a parameter, and by the parameter where the name leads nowhere', () => {
  const table = tableOf(['/a/:x/c', '/a/b/d', '/a/:x']);
  expect(['/a/b/d', '/a/b/c', '/a/b', '/a/', '/a/b/e'].map((path) => table.find(path)?.value)).toEqual([
    '/a/b/d',
    '/a/:x/c',
    '/a/:x',
    undefined,
    undefined,
  ]);
});
