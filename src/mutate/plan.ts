import { LIBERTIES, LIE_FAMILIES, LIES, type LieFamily, lieRow } from '../faults/lies/lie-table.ts';
import type { ReachedSite, UnitEnd } from './measured-run.ts';
import { isWanted, type MutateSettings, type WantedLie, wantsLibertiesOnly, wantsLiberty } from './mutate-settings.ts';

/** A unit as all runs on the truth have shown it. */
export interface Unit extends Omit<UnitEnd, 'outcome' | 'error'> {
  /** What could be seen of it from outside, in each of these runs. */
  seen: readonly string[];
}

/** A lie at one site, with the units that meet it, those with the fewest sites first. */
export interface Pair extends ReachedSite {
  key: string;
  family: LieFamily | 'liberties';
  /** From 0: which of the sites of its lie it is. */
  rank: number;
  units: readonly Unit[];
}

/** Why a lie has no row in the report. */
export interface Unplanned {
  /** Its name; `NAME@SITE` where other sites of it are planned. */
  lie: string;
  why: 'no such road' | 'left (budget)' | 'skipped';
}

/** At so many units a lie is tried that no unit notices. */
export const MOST_UNITS = 5;

/** A lie, its field and its site as one text, as `--lie` takes it. */
export function pairKey({ lie, field, site }: ReachedSite): string {
  return `${lie}${field === undefined ? '' : `:${field}`}${site === '' ? '' : `@${site}`}`;
}

/** Every lie that is asked for at every site that a unit meets, the worst first: the first site of each before its second. */
export function planPairs(units: readonly Unit[], settings: MutateSettings, first: ReadonlySet<string>): Pair[] {
  const met = new Map<string, { site: ReachedSite; units: Unit[] }>();
  for (const unit of units) {
    for (const site of unit.sites.filter((each) => isWanted(settings, each))) {
      const known = met.get(pairKey(site));
      if (known) known.units.push(unit);
      else met.set(pairKey(site), { site, units: [unit] });
    }
  }
  const ranks = new Map<string, number>();
  const pairs = [...met]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, each]): Pair => {
      const name = `${each.site.lie} ${each.site.field ?? ''}`;
      const rank = ranks.get(name) ?? 0;
      ranks.set(name, rank + 1);
      const family = lieRow(each.site.lie)?.family ?? 'form';
      return { ...each.site, key, family, rank, units: each.units.toSorted(bySites) };
    });
  const order = (pair: Pair) => [first.has(pair.key) ? 0 : 1, pair.rank, familyRank(pair), lieRank(pair)];
  return pairs.sort((a, b) => compare(order(a), order(b)));
}

function bySites(a: Unit, b: Unit): number {
  return a.sites.length - b.sites.length;
}

function familyRank({ family }: Pair): number {
  return family === 'liberties' ? LIE_FAMILIES.length : LIE_FAMILIES.indexOf(family);
}

function lieRank({ lie }: Pair): number {
  return LIES.findIndex(({ name }) => name === lie);
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((each, index) => each !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

/** Every liberty that is asked for, at every unit that asks the service for anything. */
export function planLiberties(units: readonly Unit[], settings: MutateSettings): Pair[] {
  const asking = units.filter(({ requests }) => requests > 0).toSorted(bySites);
  return LIBERTIES.filter((liberty) => asking.length > 0 && wantsLiberty(settings, liberty)).map((lie) => ({
    ...{ lie, site: '', key: lie, family: 'liberties', rank: 0, units: asking },
  }));
}

/** What a budget has room for. */
export interface Room {
  /** How many runs, or no end of them. */
  runs: number;
  /** How many lies a run carries at most: one where units are not reported. */
  isPacked: boolean;
}

/** The share of a budget that is planned for: survivors are run once more, and liberties come last. */
const PLANNED_SHARE = 0.75;

/** How many runs of the usual length a budget has room for, after so many were made in so long. */
export function roomIn(
  budgetMs: number,
  { elapsedMs, made, jobs, isPacked }: { elapsedMs: number; made: number; jobs: number; isPacked: boolean },
): Room {
  if (budgetMs === 0) return { runs: Number.POSITIVE_INFINITY, isPacked };
  const left = Math.max(0, budgetMs - elapsedMs) * PLANNED_SHARE;
  return { runs: Math.floor((left * made * jobs) / elapsedMs), isPacked };
}

/** The pairs that the room is enough for, and in any case the first sites of money and security. */
export function fitInto(pairs: readonly Pair[], { runs, isPacked }: Room): { planned: Pair[]; left: Pair[] } {
  const taken: Set<string>[] = [];
  const planned = pairs.filter((pair) => {
    const at = firstFree(taken, isPacked ? pair : undefined);
    const isLeast = pair.rank === 0 && (pair.family === 'money' || pair.family === 'security');
    if (at.run >= runs && !isLeast) return false;
    taken[at.run] = (taken[at.run] ?? new Set()).add(at.unit);
    return true;
  });
  const isPlanned = new Set(planned);
  return { planned, left: pairs.filter((pair) => !isPlanned.has(pair)) };
}

/** The first run in which one of the units that would be tried carries nothing yet. */
function firstFree(taken: readonly Set<string>[], pair: Pair | undefined): { run: number; unit: string } {
  const units = (pair?.units ?? []).filter(({ exclusive }) => !exclusive).slice(0, MOST_UNITS);
  for (const [run, carried] of taken.entries()) {
    const free = carried.has('') ? undefined : units.find(({ unit }) => !carried.has(unit));
    if (free) return { run, unit: free.unit };
  }
  return { run: taken.length, unit: units[0]?.unit ?? '' };
}

/** What is in no row of the report: lies that no unit meets, lies that are not asked for, and what is left. */
export function unplanned(units: readonly Unit[], settings: MutateSettings, left: readonly Pair[]): Unplanned[] {
  const ofBudget = left.map(({ key }): Unplanned => ({ lie: key, why: 'left (budget)' }));
  if (settings.lie) {
    const isMet = units.some(({ sites }) => sites.some((each) => isWanted(settings, each)));
    return isMet ? ofBudget : [{ lie: wantedKey(settings.lie), why: 'no such road' }];
  }
  const met = new Set(units.flatMap(({ sites }) => sites.map(({ lie }) => lie)));
  const none = wantsLibertiesOnly(settings) ? [] : LIES;
  const others = none.flatMap(({ name }): Unplanned[] => {
    if (!isWanted(settings, { lie: name })) return [{ lie: name, why: 'skipped' }];
    return met.has(name) ? [] : [{ lie: name, why: 'no such road' }];
  });
  return [...others, ...ofBudget];
}

function wantedKey({ lie, field, site = '' }: WantedLie): string {
  return pairKey({ lie, field, site });
}
