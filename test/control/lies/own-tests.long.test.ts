import { expect, it } from 'vitest';
import { ownLies } from './own-tests.ts';

it('has a test of our own that fails under each lie and passes without it, for each rule that the lie breaks', {
  timeout: 1_800_000,
}, async () => {
  const { code, printed } = await ownLies([]);
  expect(printed).not.toMatch(/NOT NOTICED|\(not held\)|fails on the truth/);
  expect(printed).toMatch(/^79 of 79 lies are noticed by our own tests; 0 rules are not held under one\.$/m);
  expect(code).toBe(0);
});
