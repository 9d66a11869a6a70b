import { COMPATIBLE_CHANGES, VIOLATIONS, violationRow } from '../../control/violations/violation-table.ts';
import type { Budget } from '../runner/budget.ts';
import { ofShard, type Shard } from '../runner/search.ts';
import { siteKey } from '../token.ts';
import type { ReachedSite, TestResult } from './measured-run.ts';

export type PlannedTest = Omit<TestResult, 'outcome' | 'error'>;

/**
 * A violation at one site with the tests that meet it, those with the fewest sites first. Violations begin at different
 * tests, so that one run has room for many.
 */
export interface Pair extends ReachedSite {
  key: string;
  rank: number;
  tests: readonly PlannedTest[];
}

/** A violation is tried at no more than this many tests. */
export const MOST_TESTS = 5;

export interface MeasureSettings {
  wants(name: string): boolean;
  alone: { name: string; site: string } | undefined;
  seed: number;
  shard: Shard;
}

function isAsked({ wants, alone }: MeasureSettings, { violation, site }: ReachedSite): boolean {
  return alone ? alone.name === violation && alone.site === site : wants(violation);
}

/**
 * Every selected violation at every site that a test meets, the worst first. The first site of each violation comes before
 * its second.
 */
export function planPairs(
  tests: readonly PlannedTest[],
  settings: MeasureSettings,
  first: ReadonlySet<string>,
): Pair[] {
  const met = new Map<string, { site: ReachedSite; tests: PlannedTest[] }>();
  for (const test of tests) {
    for (const site of test.sites.filter((each) => isAsked(settings, each))) {
      const known = met.get(siteKey(site.violation, site.site));
      if (known) known.tests.push(test);
      else met.set(siteKey(site.violation, site.site), { site, tests: [test] });
    }
  }
  const ranks = new Map<string, number>();
  const pairs = [...met]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, each]): Pair => {
      const { violation } = each.site;
      const rank = ranks.get(violation) ?? 0;
      ranks.set(violation, rank + 1);
      const begin = (placeOf(violation) + rank) * MOST_TESTS;
      return { ...each.site, key, rank, tests: inTurn(each.tests, begin) };
    });
  const order = (pair: Pair) => [first.has(pair.key) ? 0 : 1, pair.rank, placeOf(pair.violation)];
  return pairs.sort((a, b) => compare(order(a), order(b)));
}

function inTurn(tests: readonly PlannedTest[], begin: number): PlannedTest[] {
  const counts = [...new Set(tests.map(({ sites }) => sites.length))].sort((a, b) => a - b);
  return counts.flatMap((count) => {
    const group = tests.filter(({ sites }) => sites.length === count);
    const first = begin % group.length;
    return [...group.slice(first), ...group.slice(0, first)];
  });
}

function placeOf(violation: string): number {
  return VIOLATIONS.findIndex(({ name }) => name === violation);
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((each, index) => each !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

export function planChanges(tests: readonly PlannedTest[], settings: MeasureSettings): Pair[] {
  const sending = tests.filter(({ requests }) => requests > 0);
  const chosen = COMPATIBLE_CHANGES.filter(
    (violation) => sending.length > 0 && isAsked(settings, { violation, site: '' }),
  );
  const pairs = chosen.map((violation, at): Pair => {
    return {
      violation,
      site: '',
      key: violation,
      rank: 0,
      tests: inTurn(sending, (VIOLATIONS.length + at) * MOST_TESTS),
    };
  });
  return ofShard(pairs, settings.shard);
}

/** The share of the budget for confirming missed violations, and for compatible changes. */
export const HELD_BACK_SHARE = 0.25;

/** The number of runs of usual length that fit into the budget, after `made` runs. */
export function runsIn({ leftMs, elapsedMs }: Budget, { made, jobs }: { made: number; jobs: number }): number {
  const left = Math.max(0, leftMs) * (1 - HELD_BACK_SHARE);
  return Math.floor((left * made * jobs) / elapsedMs);
}

/**
 * The pairs that fit into this many runs, and always the first sites of money and security. `isPacked`: a run has a
 * violation for each test, and not one in all.
 */
export function fitInto(
  pairs: readonly Pair[],
  { runs, isPacked }: { runs: number; isPacked: boolean },
): { planned: Pair[]; left: Pair[] } {
  const taken: Set<string>[] = [];
  const planned = pairs.filter((pair) => {
    const at = firstFree(taken, isPacked ? pair : undefined);
    if (at.run >= runs && !isRequired(pair)) return false;
    taken[at.run] = (taken[at.run] ?? new Set()).add(at.test);
    return true;
  });
  const isPlanned = new Set(planned);
  return { planned, left: pairs.filter((pair) => !isPlanned.has(pair)) };
}

export function isRequired({ rank, violation }: Pair): boolean {
  return rank === 0 && ['money', 'security'].includes(violationRow(violation)?.family ?? '');
}

function firstFree(taken: readonly Set<string>[], pair: Pair | undefined): { run: number; test: string } {
  const tests = (pair?.tests ?? []).filter(({ exclusive }) => !exclusive).slice(0, MOST_TESTS);
  for (const [run, carried] of taken.entries()) {
    const free = carried.has('') ? undefined : tests.find(({ key }) => !carried.has(key));
    if (free) return { run, test: free.key };
  }
  return { run: taken.length, test: tests[0]?.key ?? '' };
}
