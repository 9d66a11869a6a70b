import { expect, it } from 'vitest';
import { Budget } from '../../../src/check/runner/budget.ts';
import type { MeasuredRun, MeasureOrder, RunSuite, TestResult } from '../../../src/check/violations/measured-run.ts';
import { type MeasureSettings, type Pair, planPairs } from '../../../src/check/violations/plan.ts';
import {
  measureNegativeControl,
  type SuiteBaseline,
  suiteBaseline,
} from '../../../src/check/violations/suite-baseline.ts';
import { ViolationRuns } from '../../../src/check/violations/violation-runs.ts';

const SETTINGS: MeasureSettings = { wants: () => true, alone: undefined, seed: 1, shard: { index: 1, of: 1 } };
const CHAT = 'POST /v1/chat/completions';
const RUN_MS = 1000;

/** A suite of tests that meet these violations and catch none, in runs of a second each; its orders are kept. */
class BlindSuite {
  readonly orders: MeasureOrder[] = [];
  readonly #met: Readonly<Record<string, readonly string[]>>;
  #ms = 0;

  constructor(met: Readonly<Record<string, readonly string[]>>) {
    this.#met = met;
  }

  readonly run: RunSuite = async (order): Promise<MeasuredRun> => {
    const began = this.#ms;
    this.orders.push(order);
    this.#ms += RUN_MS;
    const tests = Object.entries(this.#met).map(([test, violations]) => this.#endOf(test, violations, order));
    return {
      ...{ tests, isHung: false, hung: new Set(), hasPassed: !order.isDead, isMissing: false, output: '' },
      ...{ ms: RUN_MS, requests: 2, began, refused: new Set(), records: new Map() },
      acted: new Set(order.armed.map(({ id }) => id)),
    };
  };

  /** Tries these violations, one run at a time, in so much time after the baseline run. */
  async try(plan: (baseline: SuiteBaseline) => Pair[], budgetMs = 0) {
    const settings = SETTINGS;
    const baseline = suiteBaseline([await this.run({ armed: [] })]);
    const real = () => this.#ms;
    const run = new ViolationRuns(
      {
        ...{ run: this.run, settings, baseline, jobs: 1, onChange: () => undefined },
        budget: new Budget({ real }, { budgetMs, signal: new AbortController().signal }),
      },
      { violations: plan(baseline), changes: [] },
    );
    await run.measure();
    return { run, orders: this.orders.slice(1).map(({ armed }) => armed), ms: this.#ms - RUN_MS };
  }

  /** With the service dead the first test asks again and again, until a clock ends it. */
  #endOf(test: string, violations: readonly string[], { isDead }: MeasureOrder): TestResult {
    const isFirst = test === Object.keys(this.#met)[0];
    const outcome = isDead ? (isFirst ? 'open' : 'failed') : 'passed';
    const sites = violations.map((violation) => ({ violation, site: CHAT }));
    return { ...{ key: test, name: test, isWhole: false, ms: 20, requests: 1, exclusive: false }, outcome, sites };
  }
}

/** Tries every violation that the suite meets. */
function measured(met: Readonly<Record<string, readonly string[]>>) {
  return new BlindSuite(met).try(({ tests }) => planPairs(tests, SETTINGS, new Set()));
}

it('runs each missed violation once more alone', async () => {
  const { run, orders } = await measured({ pays: ['spent.zero'], looks: ['charge.none'] });
  const [packed, ...others] = orders.map((armed) => armed.map(({ violation }) => violation));
  expect(packed).toHaveLength(2);
  const alone = others.filter(({ length }) => length === 1).flat();
  for (const violation of ['spent.zero', 'charge.none']) expect(alone).toContain(violation);
  const rows = run.rows.map(({ pair, verdict, isAlone }) => [pair.violation, verdict, isAlone]);
  expect(rows).toContainEqual(['spent.zero', 'missed', true]);
  expect(rows).toContainEqual(['charge.none', 'missed', true]);
});

it('runs a missed violation that had its run for itself no second time', async () => {
  const { run, orders } = await measured({ pays: ['spent.zero', 'charge.none'] });
  expect(orders.map((armed) => armed.map(({ violation }) => violation))).toEqual([['charge.none'], ['spent.zero']]);
  expect(run.rows.map(({ verdict, isAlone }) => [verdict, isAlone])).toEqual([
    ['missed', true],
    ['missed', true],
  ]);
});

it('ends tests that retry without end while the service is dead by the clock of a test, and says that they did not pass', async () => {
  const suite = new BlindSuite({ 'asks again and again': ['spent.zero'], gives: ['charge.none'] });
  const baseline = suiteBaseline([await suite.run({ armed: [] })]);
  expect(await measureNegativeControl(suite.run, baseline)).toEqual([]);
  const order = suite.orders.at(-1);
  expect(order).toMatchObject({ isDead: true, armed: [], limitMs: 2 * RUN_MS + 30_000 });
  expect(order?.limitOf?.('asks again and again')).toBe(3 * 20 + 10_000);
});

/** Tries twelve violations at second sites of three tests, of which no first run is owed, in so much time. */
async function measuredIn(budgetMs: number) {
  const plan = ({ tests }: SuiteBaseline) =>
    Array.from({ length: 12 }, (_, at): Pair => {
      const site = `${CHAT} ${at}`;
      return { violation: 'spent.zero', site, key: `spent.zero@${site}`, rank: 1, tests };
    });
  const { run, orders, ms } = await new BlindSuite({ pays: [], looks: [], waits: [] }).try(plan, budgetMs);
  const alone = orders.filter((armed) => new Set(armed.map(({ site }) => site)).size === 1).length;
  return { rows: run.rows, alone, ms };
}

it('keeps a part of the budget back to run missed violations once more, each alone', async () => {
  const { rows, alone, ms } = await measuredIn(12_000);
  const missed = rows.filter(({ verdict }) => verdict === 'missed');
  const checked = new Set(missed.filter(({ isAlone }) => isAlone).map(({ pair }) => pair.key));
  expect([alone, checked.size]).toEqual([3, 3]);
  expect(ms).toBe(12_000);
  expect(new Set(missed.map(({ pair }) => pair.key)).size).toBeGreaterThan(checked.size);
  // The first of the plan, which is the worst.
  expect([...checked]).toEqual([0, 1, 2].map((at) => `spent.zero@${CHAT} ${at}`));
});

it('runs every missed violation once more if there is time', async () => {
  const { rows } = await measuredIn(0);
  expect(rows).toHaveLength(36);
  expect(rows.every(({ isAlone, verdict }) => isAlone && verdict === 'missed')).toBe(true);
});
