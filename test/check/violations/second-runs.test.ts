import { expect, it } from 'vitest';
import { Controls } from '../../../src/check/runner/controls.ts';
import { type Row, SecondRuns } from '../../../src/check/violations/judge-attempt.ts';
import type { Pair, Unit } from '../../../src/check/violations/plan.ts';

const second = new SecondRuns({
  controls: new Controls(),
  attempt: () => expect.unreachable(),
  run: () => expect.unreachable(),
  isOver: () => false,
  isAborted: () => false,
});

/** A violation that the test caught in the run that began then. */
function noticeOf(unit: Unit, began: number, violation = 'spent.zero'): Row {
  const pair = { violation, site: '', key: `${violation} ${unit.unit}`, rank: 0, units: [unit] } satisfies Pair;
  return { pair, unit, began, verdict: 'caught', isAlone: false };
}

function unitsOf(count: number): Unit[] {
  return Array.from({ length: count }, (_, at) => ({
    ...{ unit: `u${at}`, name: `u${at}`, isWhole: false, exclusive: false, ms: 1, requests: 1, sites: [] },
  }));
}

it.each([1, 2, 3, 9, 60])(
  'puts any two of %i catches of a run apart in one of a few runs, and each in one',
  (count) => {
    const rows = unitsOf(count).map((unit) => noticeOf(unit, 1));
    const batches = second.batches(rows);
    expect(batches.length).toBe(Math.floor(Math.log2(count)) + 1);
    for (const row of rows) {
      expect(batches.some((batch) => batch.includes(row))).toBe(true);
      for (const other of rows.filter((each) => each !== row)) {
        expect(batches.some((batch) => batch.includes(row) !== batch.includes(other))).toBe(true);
      }
    }
  },
);

it('confirms catches of several runs together, but no test twice in one run, and one unknown key', () => {
  const [a, b, c] = unitsOf(3) as [Unit, Unit, Unit];
  expect(second.batches([noticeOf(a, 1), noticeOf(b, 2), noticeOf(c, 3)])).toHaveLength(1);
  for (const rows of [[noticeOf(a, 1), noticeOf(a, 2)], [a, b].map((unit, at) => noticeOf(unit, at, 'key.any'))]) {
    expect(second.batches(rows)).toEqual(rows.map((row) => [row]));
  }
});

it('leaves out what was refused, what was alone, and what is confirmed', () => {
  const [unit] = unitsOf(1) as [Unit];
  const row = noticeOf(unit, 1);
  const others: Row[] = [
    { ...row, isRefused: true },
    { ...row, isAlone: true },
    { ...row, confirmed: 'beside' },
    { ...row, verdict: 'missed' },
  ];
  expect(second.batches(others)).toEqual([]);
});
