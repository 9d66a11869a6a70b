import { expect, it } from 'vitest';
import { ownLies } from './own-tests.ts';

it('has a test of our own that fails under each lie and passes without it', { timeout: 3_600_000 }, async () => {
  const { code, printed } = await ownLies([]);
  expect(printed).not.toMatch(/NOT NOTICED|fails on the truth/);
  expect(code).toBe(0);
});
