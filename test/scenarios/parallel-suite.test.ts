import { expect, it } from 'vitest';
import { world } from '../support/world.ts';
import { manyStories } from './parallel-stories.ts';

const emulator = await world();

/** Two rounds of 16 stories run at once on one instance; the long test runs over two hundred stories. */
for (const { title, tell } of manyStories(2)) it.concurrent(title, { timeout: 240_000 }, () => tell(emulator));

it('leaves money and jobs consistent after parallel test cases', async () => {
  expect(await emulator.invariants()).toMatchObject({ ok: true });
});
