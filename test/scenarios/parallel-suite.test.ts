import { expect, it } from 'vitest';
import { world } from '../support/world.ts';
import { manyStories } from './parallel-stories.ts';

const emulator = await world();

/** 13 × 16: more than two hundred tests at once on one instance. */
it.concurrent.each(manyStories(13))('$title', { timeout: 240_000 }, ({ tell }) => tell(emulator));

it('leaves money and jobs as they must be, whatever happened at once', async () => {
  expect(await emulator.invariants()).toMatchObject({ ok: true });
});
