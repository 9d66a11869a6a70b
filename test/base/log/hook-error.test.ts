import { expect, it } from 'vitest';
import type { Context } from '../../../src/service/http/context.ts';
import { CHAT } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const lines: { error: unknown; message: string }[] = [];
const contexts: Context[] = [];

const here = await world(
  {},
  {
    log: { info: () => undefined, error: ({ error }, message) => lines.push({ error, message }) },
    tally: { attach: (context) => contexts.push(context), keep: () => undefined, begin: () => undefined },
  },
);

it('completes a transaction whose commit hook throws, serves a request, and logs the error with its stack', async () => {
  const ana = await here.account();
  const [context] = contexts;
  const broken = context?.database.transact((tx) => {
    tx.onCommit(() => {
      throw new Error('a broken hook');
    });
    return 'committed';
  });
  const [{ status }, value] = await Promise.all([ana.post('/chat/completions', CHAT), broken]);
  expect([status, value]).toEqual([200, 'committed']);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -1']);
  expect(lines).toEqual([{ error: new Error('a broken hook'), message: 'work after a commit failed by a bug' }]);
  expect(Object(lines[0]?.error).stack).toContain('hook-error.test.ts');
});
