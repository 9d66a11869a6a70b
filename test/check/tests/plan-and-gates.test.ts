import { expect, it } from 'vitest';
import { mergeMutateReports } from '../../../src/check/merge-reports.ts';
import { type BaselineFile, EMPTY_BASELINE } from '../../../src/check/tests/baseline.ts';
import { brokenGates, shortfallOf } from '../../../src/check/tests/gates.ts';
import { NOTHING_MEASURED, unplanned } from '../../../src/check/tests/measurement.ts';
import type { MutateReport } from '../../../src/check/tests/mutate-report.ts';
import { type MutateOptions, readMutateSettings } from '../../../src/check/tests/mutate-settings.ts';
import { fitInto, type Pair, type Unit } from '../../../src/check/tests/plan.ts';

const NOTHING: MutateReport = { version: '1', command: 'npm test', seed: 1, ...NOTHING_MEASURED };

const SPENT = {
  ...{ lie: 'spent.zero', family: 'money', site: 'POST /v1/chat/completions', unit: 'pays', harm: false },
  verdict: 'noticed',
} as const;

/** A report in which one lie was told. */
const ONE: MutateReport = {
  ...NOTHING,
  measured: { ...NOTHING.measured, planned: 1, told: 1 },
  lies: [SPENT],
  families: { money: { told: 1, noticed: 1 } },
};

it('ends a shard that had nothing to try with 0, and leaves it to the merge whether all is enough', () => {
  const shard = readMutateSettings({ shard: '2/2' });
  expect(shortfallOf(NOTHING, shard)).toBeUndefined();
  expect(shortfallOf(NOTHING, readMutateSettings({}))).toMatchObject({ exit_code: 3 });
  const short = { ...NOTHING, exit: 3, error: { exit_code: 3, message: 'Nothing was measured.' } };
  const merged = mergeMutateReports([ONE, short]);
  expect(merged).toMatchObject({ exit: 0, families: { money: { told: 1, noticed: 1 } } });
  expect(merged.error).toBeUndefined();
  expect(shortfallOf(merged)).toBeUndefined();
  expect(shortfallOf(mergeMutateReports([short, short]))).toMatchObject({ exit_code: 3 });
  expect(mergeMutateReports([ONE, { ...short, exit: 2 }]).exit).toBe(2);
});

it.each([
  ['Ctrl-C', [0, 1, 2, 3, 127, 130], 130],
  ['a command that there is not', [0, 1, 2, 3, 127], 127],
  ['a command that fails by itself', [0, 1, 2, 3], 2],
  // Whether that is so of the whole is judged anew.
  ['too little of each, and a gate', [3, 1, 3], 3],
] as const)('has the exit code of %s before those of less', (_what, exits, expected) => {
  const reports = exits.map((exit) => ({ ...NOTHING, exit, error: { exit_code: exit, message: `${exit}` } }));
  const merged = mergeMutateReports(reports);
  const { exit_code: code, message } = merged.error ?? shortfallOf(merged) ?? {};
  expect(code).toBe(expected);
  if (expected !== 3) expect([merged.exit, message]).toEqual([expected, `${expected}`]);
});

function gated(baseline: BaselineFile, report: MutateReport): string[] {
  return brokenGates(report, {
    ...{ min: new Map(), maxBrittle: undefined, baseline, today: '2027-01-01', isWhole: true },
  });
}

it('judges no accepted entry of lies that were not asked for', () => {
  const accepted = ['chat.empty', 'refund.none'].map((lie) => ({ lie, unit: 'pays', why: 'It is read by hand.' }));
  const baseline = { ...EMPTY_BASELINE, version: '1', accepted };
  const unreached = [
    { lie: 'chat.empty', why: 'skipped' as const },
    { lie: 'refund.none', why: 'no such road' as const },
  ];
  expect(gated(baseline, { ...ONE, unreached })).toEqual([
    'The baseline accepts refund.none of "pays", which excuses nothing any more: remove the entry.',
  ]);
});

function planned(options: MutateOptions, units: readonly Unit[]) {
  return unplanned(units, readMutateSettings(options), []);
}

it('names what no test meets of what was asked for', () => {
  const unreached = planned({ only: ['refund.*'] }, []);
  const report = { ...NOTHING, unreached };
  const { message = '' } = shortfallOf(report, readMutateSettings({ only: ['refund.*'] })) ?? {};
  expect(message).toContain('No test meets what these change: refund.none, refund.one_of_two');
  expect(message).not.toContain('charge.');
  // What was not asked for is no gap of the tests.
  expect(unreached.filter(({ why }) => why === 'no such road').map(({ lie }) => lie)).toEqual([
    ...['refund.none', 'refund.one_of_two', 'refund.short', 'refund.twice', 'refund.of_success'],
  ]);
  expect(unreached).toContainEqual({ lie: 'key.any', why: 'skipped' });
  expect(planned({ lie: 'field.missing:data.*.seed@POST /v1/chat/completions' }, [])).toEqual([
    { lie: 'field.missing:data.*.seed@POST /v1/chat/completions', why: 'no such road' },
  ]);
});

it('tries one lie at all of its sites one after another', () => {
  expect(readMutateSettings({ lie: 'spent.zero' }).oneByOne).toBe(true);
  expect(readMutateSettings({}).oneByOne).toBe(false);
});

function unitOf(name: string, exclusive: boolean): Unit {
  return { ...{ unit: name, name, isWhole: false, ms: 1, requests: 1, sites: [], seen: [] }, exclusive };
}

it('plans a run for each lie of a test that moves the clock, resets or restores', () => {
  const pairOf = (lie: string, unit: Unit): Pair => {
    return { ...{ lie, site: '', key: lie, rank: 1, family: 'money' }, units: [unit] };
  };
  const names = ['spent.zero', 'charge.none', 'usage.text'];
  const fitted = (exclusive: boolean, runs: number) => {
    const pairs = names.map((lie, at) => pairOf(lie, unitOf(`test ${at}`, exclusive)));
    return fitInto(pairs, { runs, isPacked: true }).planned.length;
  };
  expect([fitted(false, 1), fitted(true, 1), fitted(true, 3)]).toEqual([3, 1, 3]);
});
