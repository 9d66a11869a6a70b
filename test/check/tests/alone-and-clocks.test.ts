import { expect, it } from 'vitest';
import { VirtualClock } from '../../../src/base/clock/clock.ts';
import { measureBaseline, measureNegativeControl } from '../../../src/check/tests/baseline-runs.ts';
import type { MeasuredRun, MeasureOrder, UnitEnd } from '../../../src/check/tests/measured-run.ts';
import { readMutateSettings } from '../../../src/check/tests/mutate-settings.ts';
import { MutationRun } from '../../../src/check/tests/mutation-run.ts';
import { planPairs } from '../../../src/check/tests/plan.ts';

/** One run on the baselineRuns, one at a time. */
const ONCE = { timesFor: () => 1, jobsFor: () => 1, heard: () => undefined };
const CHAT = 'POST /v1/chat/completions';

/** A suite of two tests that meet these lies and notice none; its orders are kept. */
class BlindSuite {
  readonly orders: MeasureOrder[] = [];
  readonly #met: Readonly<Record<string, readonly string[]>>;

  constructor(met: Readonly<Record<string, readonly string[]>>) {
    this.#met = met;
  }

  async run(order: MeasureOrder): Promise<MeasuredRun> {
    this.orders.push(order);
    const units = Object.entries(this.#met).map(([unit, lies]) => this.#endOf(unit, lies, order));
    return {
      ...{ units, isHung: false, hung: new Set(), hasPassed: !order.isDead, isMissing: false, output: '' },
      ...{ ms: 40, requests: 2, began: this.orders.length, refused: new Set(), records: new Map() },
      acted: new Set(order.armed.map(({ id }) => id)),
      seen: new Map(units.map(({ unit }) => [unit, this.#seen(unit, order)])),
    };
  }

  async close(): Promise<void> {}

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

/** Tries every lie that the suite meets, one run at a time. */
async function measuredLies(suite: BlindSuite, options: Parameters<typeof readMutateSettings>[0] = {}) {
  const settings = readMutateSettings(options);
  const baselineRuns = await measureBaseline(suite, ONCE);
  const run = new MutationRun(
    {
      ...{ world: suite, clock: new VirtualClock(), settings, baselineRuns, jobs: 1, until: Number.POSITIVE_INFINITY },
      ...{ signal: new AbortController().signal, progress: () => undefined },
    },
    { lies: planPairs(baselineRuns.units, settings, new Set()), liberties: [], knownOf: () => undefined },
  );
  await run.measure();
  return run;
}

it('runs each survivor once more alone, and nothing that only goes unread', async () => {
  const suite = new BlindSuite({ pays: ['spent.zero', 'chat.empty'], looks: ['charge.none', 'chat.markup'] });
  const run = await measuredLies(suite, { all: true });
  const [packed, ...others] = suite.orders.slice(1).map(({ armed }) => armed.map(({ lie }) => lie));
  expect(packed).toHaveLength(2);
  const alone = others.filter(({ length }) => length === 1).flat();
  for (const lie of ['spent.zero', 'charge.none', 'chat.empty']) expect(alone).toContain(lie);
  const rows = run.rows.map(({ pair, verdict, isAlone }) => [pair.lie, verdict, isAlone]);
  expect(rows).toContainEqual(['spent.zero', 'survived', true]);
  expect(rows).toContainEqual(['charge.none', 'survived', true]);
  expect(rows).toContainEqual(['chat.empty', 'survived', true]);
  expect(rows).toContainEqual(['chat.markup', 'unread', false]);
});

it('ends tests that retry without end while the service is dead by the clock of a test, and says that they did not pass', async () => {
  const suite = new BlindSuite({ 'asks again and again': ['spent.zero'], gives: ['charge.none'] });
  const baselineRuns = await measureBaseline(suite, ONCE);
  const control = await measureNegativeControl(suite, baselineRuns);
  expect(control.passed_dead).toEqual([]);
  const order = suite.orders.at(-1);
  expect(order).toMatchObject({ isDead: true, armed: [], limitMs: 2 * 40 + 30_000 });
  expect(order?.limitOf?.('asks again and again')).toBe(3 * 20 + 10_000);
});

it('runs a survivor that had its run for itself no second time', async () => {
  const suite = new BlindSuite({ pays: ['spent.zero', 'charge.none'] });
  const run = await measuredLies(suite);
  expect(suite.orders.slice(1).map(({ armed }) => armed.map(({ lie }) => lie))).toEqual([
    ['charge.none'],
    ['spent.zero'],
  ]);
  expect(run.rows.map(({ verdict, isAlone }) => [verdict, isAlone])).toEqual([
    ['survived', true],
    ['survived', true],
  ]);
});
