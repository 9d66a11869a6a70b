import { expect, it } from 'vitest';
import type { BatchableTests } from '../../src/check/batch.ts';
import { forecastSearch } from '../../src/check/forecast.ts';
import { makeScenario, type Scenario } from '../../src/check/plan.ts';
import type { TestRow } from '../../src/check/runner/run-record.ts';
import { describeForecast } from '../../src/cli/check/check-output.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];

/** Consecutive tests that last `ms` milliseconds each. */
function suiteOf(names = NAMES, ms = 1000): BatchableTests {
  const tests = names.map((name, at): [string, TestRow] => {
    const [started, ended] = [at, at + 1].map((second) => new Date(second * ms).toISOString());
    return [name, { name, started, ended } as TestRow];
  });
  return { tests: new Map(tests), disturbed: new Map(), isSelectable: true };
}

function scenario(fault: string, test?: string): Scenario {
  const site = 'delivery music.generation.succeeded #1';
  return makeScenario([{ fault, site, at: { name: site, kind: 'delivery', about: [], match: {}, traits: {}, test } }]);
}

const PACE = { suite: suiteOf([]), ms: 10_000, jobs: 2, atOnce: 4, leftMs: 0, endMs: 40_000 };
const MANY = ['duplicate', 'lost', 'reorder', 'forged', 'twin', 'resent'].map((fault) => scenario(fault));

it('forecasts how many scenarios fit into the budget; scenarios whose faults make clients wait run next to the others', () => {
  const three = [scenario('duplicate'), scenario('late'), scenario('lost')];
  expect(forecastSearch(three, PACE)).toEqual({ scenarios: 3, ms: 13_000, fitting: 3 });
  expect(forecastSearch(MANY, PACE)).toEqual({ scenarios: 6, ms: 30_000, fitting: 4 });
  expect(forecastSearch(MANY, { ...PACE, leftMs: 10_000 })).toMatchObject({ fitting: 6 });
  expect(forecastSearch(MANY, { ...PACE, leftMs: -1 })).toMatchObject({ fitting: 0 });
  // The end of the budget stops runs that have not finished.
  expect(forecastSearch(MANY, { ...PACE, endMs: 15_000 })).toMatchObject({ fitting: 2 });
});

it('forecasts one run for scenarios of different tests, and a shorter one if few tests are needed and their durations are known', () => {
  const suite = suiteOf();
  const [one, all] = [
    [scenario('lost', 'a')],
    MANY.map((_, at) => scenario(NAMES[at] === 'a' ? 'twin' : 'lost', NAMES[at])),
  ];
  expect(forecastSearch(one, { ...PACE, suite, ms: 7000 })).toEqual({ scenarios: 1, ms: 2000, fitting: 1 });
  expect(forecastSearch(one, { ...PACE, suite: suiteOf(NAMES, 0) })).toMatchObject({ ms: 10_000 });
  expect(forecastSearch(all, { ...PACE, suite, ms: 7000 })).toEqual({ scenarios: 2, ms: 7000, fitting: 2 });
});

it.each([
  [36, '63 scenarios, about 9 minutes; --budget 5m tries 36'],
  [20, '63 scenarios, about 9 minutes; --budget 5m tries 20 (less than half ends with exit code 3)'],
  [63, '63 scenarios, about 9 minutes; then pairs of faults until --budget 5m ends'],
])('prints a plan of 63 scenarios of which %i fit into the budget as %s', (fitting, text) => {
  expect(describeForecast({ scenarios: 63, ms: 540_000, fitting }, 300_000, 0)).toBe(text);
});
