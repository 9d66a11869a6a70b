import { expect, it } from 'vitest';
import { world } from '../support/world.ts';
import { manyStories } from './parallel-stories.ts';

const emulator = await world();

it.each(Array.from({ length: 10 }, (_, round) => round + 1))(
  'runs over two hundred test cases in parallel without a flaky failure, round %i',
  async () => {
    const told = await Promise.allSettled(manyStories(13).map(({ tell }) => tell(emulator)));
    const failed = told.filter((each) => each.status === 'rejected').map(({ reason }) => reason);
    expect(failed).toEqual([]);
    expect(await emulator.invariants()).toMatchObject({ ok: true });
  },
);
