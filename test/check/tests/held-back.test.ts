import { expect, it } from 'vitest';
import { NOT_RUN_ALONE } from '../../../src/check/tests/judge-attempt.ts';
import type { MeasuredRun, MeasureOrder, MeasureWorld } from '../../../src/check/tests/measured-run.ts';
import { readMutateSettings } from '../../../src/check/tests/mutate-settings.ts';
import { MutationRun } from '../../../src/check/tests/mutation-run.ts';
import type { Pair, Unit } from '../../../src/check/tests/plan.ts';

const SITE = 'POST /v1/chat/completions';
const RUN_MS = 1000;

/** Three tests that notice nothing, in runs of a second each. */
class BlindSuite implements MeasureWorld {
  readonly units: readonly Unit[] = ['pays', 'looks', 'waits'].map((name) => ({
    ...{ unit: name, name, isWhole: false, exclusive: false, ms: 100, requests: 1, sites: [], seen: ['chat'] },
  }));
  readonly orders: MeasureOrder[] = [];
  ms = 0;

  async run(order: MeasureOrder): Promise<MeasuredRun> {
    const began = this.ms;
    this.orders.push(order);
    this.ms += RUN_MS;
    return {
      units: this.units.map((unit) => ({ ...unit, outcome: 'passed' as const })),
      ...{ isHung: false, hasPassed: true, isMissing: false, output: '', ms: RUN_MS, requests: 3, began },
      ...{ hung: new Set(), refused: new Set(), records: new Map(), seen: new Map() },
      acted: new Set(order.armed.map(({ id }) => id)),
    };
  }

  async close(): Promise<void> {}
}

/** Measures twelve lies at second sites, of which no first run is owed, in so much time. */
async function measured(until: number) {
  const suite = new BlindSuite();
  const pairs = Array.from({ length: 12 }, (_, at): Pair => {
    const site = `${SITE} ${at}`;
    return { lie: 'spent.zero', site, key: `spent.zero@${site}`, family: 'money', rank: 1, units: suite.units };
  });
  const run = await suite.run({ armed: [] });
  suite.ms = 0;
  suite.orders.length = 0;
  const clock = { now: () => suite.ms, real: () => suite.ms, frozen: false, at: () => () => {}, after: () => () => {} };
  const baselineRuns = { units: suite.units, ms: RUN_MS, runs: 1, run };
  const lies = new MutationRun(
    {
      ...{ world: suite, clock, settings: readMutateSettings({}), baselineRuns, jobs: 1, until },
      ...{ signal: new AbortController().signal, progress: () => {} },
    },
    { lies: pairs, liberties: [], knownOf: () => undefined },
  );
  await lies.measure();
  const alone = suite.orders.filter(({ armed }) => new Set(armed.map(({ site }) => site)).size === 1).length;
  return { lies, alone, ms: suite.ms };
}

it('keeps a part of the budget back to run survivors once more, each alone, and says of which it could not', async () => {
  const { lies, alone, ms } = await measured(12_000);
  const survivors = lies.rows.filter(({ verdict }) => verdict === 'survived');
  const checked = new Set(survivors.filter(({ isAlone }) => isAlone).map(({ pair }) => pair.key));
  const unchecked = new Set(survivors.filter(({ output }) => output === NOT_RUN_ALONE).map(({ pair }) => pair.key));
  expect([alone, checked.size]).toEqual([3, 3]);
  expect(ms).toBe(12_000);
  expect(checked.size + unchecked.size).toBe(new Set(survivors.map(({ pair }) => pair.key)).size);
  expect(unchecked.size).toBeGreaterThan(0);
  // The first of the plan, which is the worst.
  expect([...checked]).toEqual([0, 1, 2].map((at) => `spent.zero@${SITE} ${at}`));
});

it('runs every survivor once more where there is time', async () => {
  const { lies } = await measured(Number.POSITIVE_INFINITY);
  expect(lies.rows).toHaveLength(36);
  expect(lies.rows.every(({ isAlone, verdict }) => isAlone && verdict === 'survived')).toBe(true);
  expect(lies.rows.some(({ output }) => output === NOT_RUN_ALONE)).toBe(false);
});
