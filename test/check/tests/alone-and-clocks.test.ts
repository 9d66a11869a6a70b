import { expect, it } from 'vitest';
import { type BaselineRuns, measureBaseline, measureNegativeControl } from '../../../src/check/tests/baseline-runs.ts';
import { NOT_RUN_ALONE } from '../../../src/check/tests/judge-attempt.ts';
import type { MeasuredRun, MeasureOrder, RunSuite, UnitEnd } from '../../../src/check/tests/measured-run.ts';
import { type MutateOptions, readMutateSettings } from '../../../src/check/tests/mutate-settings.ts';
import { MutationRun } from '../../../src/check/tests/mutation-run.ts';
import { type Pair, planPairs } from '../../../src/check/tests/plan.ts';

/** One baseline run. */
const ONCE = { timesFor: () => 1, jobsFor: () => 1, heard: () => undefined };
const CHAT = 'POST /v1/chat/completions';
const RUN_MS = 1000;

/** A suite of tests that meet these lies and notice none, in runs of a second each; its orders are kept. */
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
    const units = Object.entries(this.#met).map(([unit, lies]) => this.#endOf(unit, lies, order));
    return {
      ...{ units, isHung: false, hung: new Set(), hasPassed: !order.isDead, isMissing: false, output: '' },
      ...{ ms: RUN_MS, requests: 2, began, refused: new Set(), records: new Map() },
      acted: new Set(order.armed.map(({ id }) => id)),
      seen: new Map(units.map(({ unit }) => [unit, this.#seen(unit, order)])),
    };
  };

  /** Tries these lies, one run at a time, in so much time after the baseline run. */
  async try(plan: (baselineRuns: BaselineRuns) => Pair[], options: MutateOptions, time = Number.POSITIVE_INFINITY) {
    const settings = readMutateSettings(options);
    const baselineRuns = await measureBaseline(this.run, ONCE);
    const real = () => this.#ms;
    const clock = { now: real, real, frozen: false, at: () => () => {}, after: () => () => {} };
    const run = new MutationRun(
      {
        ...{ run: this.run, clock, settings, baselineRuns, jobs: 1, until: this.#ms + time },
        ...{ signal: new AbortController().signal, progress: () => undefined },
      },
      { lies: plan(baselineRuns), liberties: [], knownOf: () => undefined },
    );
    await run.measure();
    return { run, orders: this.orders.slice(1).map(({ armed }) => armed), ms: this.#ms - RUN_MS };
  }

  /** With the service dead the first test asks again and again, until a clock ends it. */
  #endOf(unit: string, lies: readonly string[], { isDead }: MeasureOrder): UnitEnd {
    const isFirst = unit === Object.keys(this.#met)[0];
    const outcome = isDead ? (isFirst ? 'open' : 'failed') : 'passed';
    const sites = lies.map((lie) => ({ lie, site: CHAT }));
    return { ...{ unit, name: unit, isWhole: false, ms: 20, requests: 1, exclusive: false }, outcome, sites };
  }

  /** The app does otherwise than usual with an empty reply. */
  #seen(unit: string, { armed }: MeasureOrder): string {
    return armed.some((each) => each.unit === unit && each.lie === 'chat.empty') ? 'otherwise' : 'as usual';
  }
}

/** Tries every lie that the suite meets. */
function measuredLies(met: Readonly<Record<string, readonly string[]>>, options: MutateOptions = {}) {
  const plan = ({ units }: BaselineRuns) => planPairs(units, readMutateSettings(options), new Set());
  return new BlindSuite(met).try(plan, options);
}

it('runs each survivor once more alone, and nothing that only goes unread', async () => {
  const met = { pays: ['spent.zero', 'chat.empty'], looks: ['charge.none', 'chat.markup'] };
  const { run, orders } = await measuredLies(met, { all: true });
  const [packed, ...others] = orders.map((armed) => armed.map(({ lie }) => lie));
  expect(packed).toHaveLength(2);
  const alone = others.filter(({ length }) => length === 1).flat();
  for (const lie of ['spent.zero', 'charge.none', 'chat.empty']) expect(alone).toContain(lie);
  const rows = run.rows.map(({ pair, verdict, isAlone }) => [pair.lie, verdict, isAlone]);
  expect(rows).toContainEqual(['spent.zero', 'survived', true]);
  expect(rows).toContainEqual(['charge.none', 'survived', true]);
  expect(rows).toContainEqual(['chat.empty', 'survived', true]);
  expect(rows).toContainEqual(['chat.markup', 'unread', false]);
});

it('runs a survivor that had its run for itself no second time', async () => {
  const { run, orders } = await measuredLies({ pays: ['spent.zero', 'charge.none'] });
  expect(orders.map((armed) => armed.map(({ lie }) => lie))).toEqual([['charge.none'], ['spent.zero']]);
  expect(run.rows.map(({ verdict, isAlone }) => [verdict, isAlone])).toEqual([
    ['survived', true],
    ['survived', true],
  ]);
});

it('ends tests that retry without end while the service is dead by the clock of a test, and says that they did not pass', async () => {
  const suite = new BlindSuite({ 'asks again and again': ['spent.zero'], gives: ['charge.none'] });
  const baselineRuns = await measureBaseline(suite.run, ONCE);
  const control = await measureNegativeControl(suite.run, baselineRuns);
  expect(control.passed_dead).toEqual([]);
  const order = suite.orders.at(-1);
  expect(order).toMatchObject({ isDead: true, armed: [], limitMs: 2 * RUN_MS + 30_000 });
  expect(order?.limitOf?.('asks again and again')).toBe(3 * 20 + 10_000);
});

/** Tries twelve lies at second sites of three tests, of which no first run is owed, in so much time. */
async function measuredIn(time: number) {
  const plan = ({ units }: BaselineRuns) =>
    Array.from({ length: 12 }, (_, at): Pair => {
      const site = `${CHAT} ${at}`;
      return { lie: 'spent.zero', site, key: `spent.zero@${site}`, family: 'money', rank: 1, units };
    });
  const { run, orders, ms } = await new BlindSuite({ pays: [], looks: [], waits: [] }).try(plan, {}, time);
  const alone = orders.filter((armed) => new Set(armed.map(({ site }) => site)).size === 1).length;
  return { rows: run.rows, alone, ms };
}

it('keeps a part of the budget back to run survivors once more, each alone, and says of which it could not', async () => {
  const { rows, alone, ms } = await measuredIn(12_000);
  const survivors = rows.filter(({ verdict }) => verdict === 'survived');
  const checked = new Set(survivors.filter(({ isAlone }) => isAlone).map(({ pair }) => pair.key));
  const unchecked = new Set(survivors.filter(({ output }) => output === NOT_RUN_ALONE).map(({ pair }) => pair.key));
  expect([alone, checked.size]).toEqual([3, 3]);
  expect(ms).toBe(12_000);
  expect(checked.size + unchecked.size).toBe(new Set(survivors.map(({ pair }) => pair.key)).size);
  expect(unchecked.size).toBeGreaterThan(0);
  // The first of the plan, which is the worst.
  expect([...checked]).toEqual([0, 1, 2].map((at) => `spent.zero@${CHAT} ${at}`));
});

it('runs every survivor once more where there is time', async () => {
  const { rows } = await measuredIn(Number.POSITIVE_INFINITY);
  expect(rows).toHaveLength(36);
  expect(rows.every(({ isAlone, verdict }) => isAlone && verdict === 'survived')).toBe(true);
  expect(rows.some(({ output }) => output === NOT_RUN_ALONE)).toBe(false);
});
