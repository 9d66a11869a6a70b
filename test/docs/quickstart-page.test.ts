import { expect, it } from 'vitest';
import { follow } from './follow-quickstart.ts';

/** The other languages are in the long run. */
it('gets a first green test from TypeScript', async () => {
  const { output } = await follow('TypeScript');
  expect(output).toMatch(/Tests .*1 passed/);
});
