import { expect, it } from 'vitest';
import { ownLies } from './own-tests.ts';

/** All of them are in the long run: these are drawn from those that few files are about. */
it('has tests of our own that fail under a lie and pass without it, for a sample of the lies', {
  timeout: 300_000,
}, async () => {
  const { code, printed } = await ownLies(['--sample', '2', '--seed', '1']);
  expect(printed).toMatch(/^2 of 2 lies are noticed by our own tests/m);
  expect(code).toBe(0);
});
