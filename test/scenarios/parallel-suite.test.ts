import { expect, it } from 'vitest';
import { world } from '../support/world.ts';
import { manyStories } from './parallel-stories.ts';

const emulator = await world();

/** 2 × 16 at once on one instance; more than two hundred are in the long run. */
it.concurrent.each(manyStories(2))('$title', { timeout: 240_000 }, ({ tell }) => tell(emulator));

it('leaves money and jobs consistent after parallel test cases', async () => {
  expect(await emulator.invariants()).toMatchObject({ ok: true });
});
