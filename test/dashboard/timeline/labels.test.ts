import { expect, it } from 'vitest';
import { axisLabels, type Bar, positionedBars } from '../../../src/dashboard/page/timeline/bars.ts';

const END = 1000;
/** Half a time is on either side of its position; the first and the last stand next to theirs. */
const HALF = 0.05;

it('hides time labels that would overlap the first or last one', () => {
  const knots = [0, 70, 160, 500, 880, 940, END].map((at) => ({ at, even: at / END, linear: at / END }));
  const placed = (at: number) => at / END;
  const shown = axisLabels(knots, [], { placed, now: undefined }).map(({ position }) => position);
  expect(shown).toEqual(expect.arrayContaining([0, 1, 0.5, 0.16]));
  for (const position of shown.filter((each) => each > 0 && each < 1)) {
    expect(position - HALF).toBeGreaterThanOrEqual(2 * HALF);
    expect(position + HALF).toBeLessThanOrEqual(1 - 2 * HALF);
  }
});

it('joins balance changes on the timeline until no labels overlap', () => {
  const change = (at: number, text: string): Bar => {
    return { step: text, from: at, to: at, look: 'money', tone: 'plain', text, note: `${at} left` };
  };
  const bars = [change(780, '−6'), change(890, '+3 back'), change(945, '+3 back again'), change(990, '−1')];
  const labels = positionedBars(bars, (at) => at / END).filter(({ text }) => text !== '');
  expect(labels.map(({ text }) => text).join(' ')).toBe('−6 +3 back +3 back again −1');
  for (const [at, { room }] of labels.entries()) {
    expect(room.from).toBeGreaterThanOrEqual(labels[at - 1]?.room.to ?? 0);
  }
});
