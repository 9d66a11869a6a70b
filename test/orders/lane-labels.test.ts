import { expect, it } from 'vitest';
import { axisLabels } from '../../src/orders/lane-labels.ts';

const END = 1000;
/** Half a time is on either side of its position; the first and the last lie beside theirs. */
const HALF = 0.05;

it('shows no time that would reach into the first or the last one, which lie beside their positions', () => {
  const knots = [0, 70, 160, 500, 880, 940, END].map((at) => ({ at, even: at / END, linear: at / END }));
  const placed = (at: number) => at / END;
  const shown = axisLabels(knots, [], { placed, now: undefined }).map(({ position }) => position);
  expect(shown).toEqual(expect.arrayContaining([0, 1, 0.5, 0.16]));
  for (const position of shown.filter((each) => each > 0 && each < 1)) {
    expect(position - HALF).toBeGreaterThanOrEqual(2 * HALF);
    expect(position + HALF).toBeLessThanOrEqual(1 - 2 * HALF);
  }
});
