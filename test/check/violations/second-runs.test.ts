import { expect, it } from 'vitest';
import { Controls } from '../../../src/check/runner/controls.ts';
import { type JudgedAttempt, SecondRuns } from '../../../src/check/violations/judge-attempt.ts';
import type { Pair, PlannedTest } from '../../../src/check/violations/plan.ts';

const second = new SecondRuns({
  controls: new Controls(),
  attempt: () => expect.unreachable(),
  run: () => expect.unreachable(),
  isOver: () => false,
  isAborted: () => false,
});

/** A violation that the test caught in the run that began then. */
function catchOf(test: PlannedTest, began: number, violation = 'spent.zero'): JudgedAttempt {
  const pair = { violation, site: '', key: `${violation} ${test.key}`, rank: 0, tests: [test] } satisfies Pair;
  return { pair, test, began, verdict: 'caught', isAlone: false };
}

function testsOf(count: number): PlannedTest[] {
  return Array.from({ length: count }, (_, at) => ({
    ...{ key: `u${at}`, name: `u${at}`, isWhole: false, exclusive: false, ms: 1, requests: 1, sites: [] },
  }));
}

it.each([1, 2, 3, 9, 60])(
  'puts any two of %i catches of a run apart in one of a few runs, and each in one',
  (count) => {
    const rows = testsOf(count).map((test) => catchOf(test, 1));
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
  const [a, b, c] = testsOf(3) as [PlannedTest, PlannedTest, PlannedTest];
  expect(second.batches([catchOf(a, 1), catchOf(b, 2), catchOf(c, 3)])).toHaveLength(1);
  for (const rows of [[catchOf(a, 1), catchOf(a, 2)], [a, b].map((test, at) => catchOf(test, at, 'key.any'))]) {
    expect(second.batches(rows)).toEqual(rows.map((row) => [row]));
  }
});

it('leaves out what was refused, what was alone, and what is confirmed', () => {
  const [test] = testsOf(1) as [PlannedTest];
  const row = catchOf(test, 1);
  const others: JudgedAttempt[] = [
    { ...row, isRefused: true },
    { ...row, isAlone: true },
    { ...row, confirmed: 'packed' },
    { ...row, verdict: 'missed' },
  ];
  expect(second.batches(others)).toEqual([]);
});
