import { expect, it } from 'vitest';
import { Placebos } from '../../../src/check/runner/placebos.ts';
import { type Row, SecondRuns } from '../../../src/check/tests/judge-attempt.ts';
import type { Pair, Unit } from '../../../src/check/tests/plan.ts';

const second = new SecondRuns({
  placebos: new Placebos(),
  attempt: () => expect.unreachable(),
  run: () => expect.unreachable(),
  isOver: () => false,
  isAborted: () => false,
});

/** A notice of the unit in the run that began then. */
function noticeOf(unit: Unit, began: number, lie = 'spent.zero'): Row {
  const pair = { lie, site: '', key: `${lie} ${unit.unit}`, family: 'money', rank: 0, units: [unit] } satisfies Pair;
  return { pair, unit, began, verdict: 'noticed', by: 'assertion', harm: false, isAlone: false };
}

function unitsOf(count: number): Unit[] {
  return Array.from({ length: count }, (_, at) => ({
    ...{ unit: `u${at}`, name: `u${at}`, isWhole: false, exclusive: false, ms: 1, requests: 1, sites: [], seen: [] },
  }));
}

it.each([1, 2, 3, 9, 60])(
  'puts any two of %i notices of a run apart in one of a few runs, and each in one',
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

it('confirms notices of several runs together, but no unit twice in one run, and one unknown key', () => {
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
    { ...row, by: 'refused' },
    { ...row, isAlone: true },
    { ...row, confirmed: 'beside' },
    { ...row, verdict: 'survived' },
  ];
  expect(second.batches(others)).toEqual([]);
});
