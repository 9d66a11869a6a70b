import { LIBERTIES, LIE_FAMILIES, LIES, type LieFamily, lieRow } from '../../control/lies/lie-table.ts';
import type { ReachedSite, UnitEnd } from './measured-run.ts';
import { asAsked, isSelected, type MutateSettings, selectsLiberty } from './mutate-settings.ts';

/** A unit as all baseline runs have shown it. */
export interface Unit extends Omit<UnitEnd, 'outcome' | 'error'> {
  /** What could be seen of it from outside, in each of these runs. */
  seen: readonly string[];
}

/**
 * A lie at one site, with the units that meet it, those with the fewest sites first. Among those with equally many each lie
 * begins at others, so that one run has room for many.
 */
export interface Pair extends ReachedSite {
  key: string;
  family: LieFamily | 'liberties';
  /** From 0: which of the sites of its lie it is. */
  rank: number;
  units: readonly Unit[];
}

/** At so many units a lie is tried that no unit notices. */
export const MOST_UNITS = 5;

/** A lie, its field and its site as one text, as `--lie` takes it. */
export function pairKey({ lie, field, site }: ReachedSite): string {
  return `${lie}${field === undefined ? '' : `:${field}`}${site === '' ? '' : `@${site}`}`;
}

const MARK = 'l1-';

/** What a token of a lie or a liberty brings back. */
interface LieToken {
  version: string;
  seed: number;
  /** As `--lie` takes it, or the name of a liberty. */
  key: string;
}

/** One word for a shell. */
export function writeLieToken({ version, seed, key }: LieToken): string {
  return MARK + Buffer.from([version, seed, key].join('\n')).toString('base64url');
}

/** Undefined where it is none. */
export function readLieToken(token: string): LieToken | undefined {
  if (!token.startsWith(MARK)) return undefined;
  const text = Buffer.from(token.slice(MARK.length), 'base64url').toString();
  const [version, seed, key] = text.split('\n');
  if (!version || !/^\d+$/.test(seed ?? '') || !key) return undefined;
  return { version, seed: Number(seed), key };
}

/** Every lie that is asked for at every site that a unit meets, the worst first: the first site of each before its second. */
export function planPairs(units: readonly Unit[], settings: MutateSettings, first: ReadonlySet<string>): Pair[] {
  const met = new Map<string, { site: ReachedSite; units: Unit[] }>();
  for (const unit of units) {
    for (const found of unit.sites.filter((each) => isSelected(settings, each))) {
      const site = asAsked(settings, found);
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
      const begin = (Math.max(0, lieRank(each.site)) + rank) * MOST_UNITS;
      return { ...each.site, key, family, rank, units: inTurn(each.units, begin) };
    });
  const order = (pair: Pair) => [first.has(pair.key) ? 0 : 1, pair.rank, familyRank(pair), lieRank(pair)];
  return pairs.sort((a, b) => compare(order(a), order(b)));
}

/** Those with the fewest sites first, and among those with equally many the one at this position. */
function inTurn(units: readonly Unit[], begin: number): Unit[] {
  const counts = [...new Set(units.map(({ sites }) => sites.length))].sort((a, b) => a - b);
  return counts.flatMap((count) => {
    const group = units.filter(({ sites }) => sites.length === count);
    const first = begin % group.length;
    return [...group.slice(first), ...group.slice(0, first)];
  });
}

function familyRank({ family }: Pair): number {
  return family === 'liberties' ? LIE_FAMILIES.length : LIE_FAMILIES.indexOf(family);
}

function lieRank({ lie }: Pick<Pair, 'lie'>): number {
  return LIES.findIndex(({ name }) => name === lie);
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((each, index) => each !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

/** Every liberty that is asked for of this machine, at every unit that asks the service for anything. */
export function planLiberties(units: readonly Unit[], settings: MutateSettings): Pair[] {
  const asking = units.filter(({ requests }) => requests > 0);
  const chosen = LIBERTIES.filter((liberty) => asking.length > 0 && selectsLiberty(settings, liberty));
  const pairs = chosen.map((lie, at): Pair => {
    const turned = inTurn(asking, (LIES.length + at) * MOST_UNITS);
    return { lie, site: '', key: lie, family: 'liberties', rank: 0, units: turned };
  });
  return ofShard(pairs, settings);
}

/** This machine's part of what is to be tried. */
export function ofShard(pairs: readonly Pair[], { shard: { index, of } }: MutateSettings): Pair[] {
  return pairs.filter((_, at) => at % of === index - 1);
}

/** The share of a budget that is held back: survivors are run once more, and liberties come last. */
export const HELD_BACK_SHARE = 0.25;

/** How many runs of the usual length a budget has room for, or no end of them, after so many were made in so long. */
export function runsIn(
  budgetMs: number,
  { elapsedMs, made, jobs }: { elapsedMs: number; made: number; jobs: number },
): number {
  if (budgetMs === 0) return Number.POSITIVE_INFINITY;
  const left = Math.max(0, budgetMs - elapsedMs) * (1 - HELD_BACK_SHARE);
  return Math.floor((left * made * jobs) / elapsedMs);
}

/**
 * The pairs for which so many runs are enough, and in any case the first sites of money and security. `isPacked`: a run
 * carries a lie at each unit, and not one in all.
 */
export function fitInto(
  pairs: readonly Pair[],
  { runs, isPacked }: { runs: number; isPacked: boolean },
): { planned: Pair[]; left: Pair[] } {
  const taken: Set<string>[] = [];
  const planned = pairs.filter((pair) => {
    const at = firstFree(taken, isPacked ? pair : undefined);
    if (at.run >= runs && !isLeast(pair)) return false;
    taken[at.run] = (taken[at.run] ?? new Set()).add(at.unit);
    return true;
  });
  const isPlanned = new Set(planned);
  return { planned, left: pairs.filter((pair) => !isPlanned.has(pair)) };
}

/** The first sites of money and security, which are tried whatever the budget is. */
export function isLeast({ rank, family }: Pair): boolean {
  return rank === 0 && (family === 'money' || family === 'security');
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
