import { LIE_FAMILIES } from '../faults/lies/lie-table.ts';
import { bestVerdict, type Row, type Verdict } from './judge-attempt.ts';
import { pairKey, type Unit } from './plan.ts';
import { proposeAssertion } from './propose-assertion.ts';
import type { MutateReport, ReportedLie, ReportedUnit } from './report-schema.ts';
import type { Truth } from './truth.ts';

/** A lie at one site with the rows of all units at which it was tried. */
export interface LieAtSite {
  key: string;
  lie: string;
  field?: string | undefined;
  family: string;
  site: string;
  verdict: Verdict;
  harm: boolean;
  rows: ReportedLie[];
}

/** A report of nothing, for what ended before the first lie. */
export const NOTHING_MEASURED = {
  measured: { planned: 0, told: 0, runs: 0, seconds: 0, placebos: { run: 0, noticed: 0 } },
  control: { requests: 0, passed_dead: [] as string[] },
  ...{ units: [], lies: [], liberties: [], unreached: [], families: {}, exit: 0 },
} satisfies Omit<MutateReport, 'version' | 'command' | 'seed'>;

/** Groups rows by lie and site, in their order; the verdict is the best of the units. */
export function bySite(lies: readonly ReportedLie[]): LieAtSite[] {
  const groups = new Map<string, ReportedLie[]>();
  for (const row of lies) {
    const key = pairKey(row);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups].flatMap(([key, rows]): LieAtSite[] => {
    const [first] = rows;
    if (!first) return [];
    const { lie, field, family, site } = first;
    const verdict = bestVerdict(rows);
    const harm = verdict === 'survived' && rows.some((row) => row.harm);
    return [{ key, lie, field, family, site, verdict, harm, rows }];
  });
}

/** What counts as told: it acted, and something can be said of it. */
const TOLD: readonly Verdict[] = ['noticed', 'survived', 'unread'];

export function isTold({ verdict }: { verdict: Verdict }): boolean {
  return TOLD.includes(verdict);
}

/** Lies at their sites by family, in the order of the families. */
export function countFamilies(sites: readonly LieAtSite[]): MutateReport['families'] {
  const told = sites.filter(isTold);
  const counts = LIE_FAMILIES.map((family) => {
    const own = told.filter((each) => each.family === family);
    return [family, { told: own.length, noticed: own.filter(({ verdict }) => verdict === 'noticed').length }] as const;
  });
  return Object.fromEntries(counts.filter(([, count]) => count.told > 0));
}

export function reportedUnit({ name, file, line, ms, sites }: Unit): ReportedUnit {
  const met = [...new Set(sites.map(({ site }) => site))].sort();
  return { name, ...(file === undefined ? {} : { file }), ...(line === undefined ? {} : { line }), ms, sites: met };
}

/** What a unit made of a lie; of a survivor with the assertion that sees it, where one is proven. */
export function reportedLie(row: Row, truth: Truth | undefined, command: string): ReportedLie {
  const { pair, unit, verdict, harm, by, output } = row;
  const { lie, field, family, site } = pair;
  const isUnseen = verdict === 'survived' || verdict === 'unread';
  const assertion = isUnseen && truth ? proposeAssertion(row, truth, command) : undefined;
  return {
    ...{ lie, ...(field === undefined ? {} : { field }), family, site, unit: unit.name, verdict, harm },
    ...(by === undefined ? {} : { by }),
    ...(output === undefined ? {} : { output }),
    ...(assertion === undefined ? {} : { assertion }),
  };
}

/** Which units passed under which liberties, of those that met them. */
export function reportedLiberties(rows: readonly Row[]): MutateReport['liberties'] {
  return rows.flatMap(({ pair, unit, verdict }) => {
    if (verdict === 'no_verdict' || verdict === 'unreached') return [];
    return [{ liberty: pair.lie, unit: unit.name, tolerated: verdict !== 'noticed' }];
  });
}

/** Survivors, those that harm first, then as the families come. */
export function survivorsOf(report: MutateReport): LieAtSite[] {
  const rank = ({ harm, family }: LieAtSite) => (harm ? 0 : 10) + familyRank(family);
  return bySite(report.lies)
    .filter(({ verdict }) => verdict === 'survived')
    .sort((a, b) => rank(a) - rank(b));
}

function familyRank(family: string): number {
  return (LIE_FAMILIES as readonly string[]).indexOf(family);
}

const TOO_LITTLE = 3;

/** One report of the shards of one measurement. Throws where they are not of one. */
export function mergeMutateReports(reports: readonly MutateReport[]): MutateReport {
  const [first, ...rest] = reports;
  if (!first) throw new Error('There is no report to merge.');
  for (const each of rest) requireSame(first, each);
  const lies = unique(
    reports.flatMap((report) => report.lies),
    (row) => `${pairKey(row)} ${row.unit}`,
  ).toSorted(byFamily);
  const planned = new Set(lies.map(pairKey));
  const unreached = unique(
    reports.flatMap((report) => report.unreached),
    ({ lie, why }) => `${lie} ${why}`,
  ).filter(({ lie, why }) => why !== 'left (budget)' || !planned.has(lie));
  const liberties = unique(
    reports.flatMap((report) => report.liberties),
    ({ liberty, unit }) => `${liberty} ${unit}`,
  );
  // What one shard has too little of, the others may have: whether that is enough is judged of the whole.
  const ended = reports.filter(({ exit }) => exit !== TOO_LITTLE && exit !== 0);
  const error = ended.find((report) => report.error)?.error;
  const exit = Math.max(0, ...ended.map((report) => report.exit));
  const { version, command, seed, control, units } = first;
  const measured = addedMeasures(reports);
  const families = countFamilies(bySite(lies));
  return {
    ...{ version, command, seed, measured, control, units, lies, liberties, unreached, families, exit },
    ...(error ? { error } : {}),
  };
}

function requireSame(first: MutateReport, other: MutateReport): void {
  for (const field of ['version', 'command', 'seed'] as const) {
    if (first[field] === other[field]) continue;
    throw new Error(
      `The reports are not of one measurement: ${field} is ${first[field]} in one and ${other[field]} in another.`,
    );
  }
}

function addedMeasures(reports: readonly MutateReport[]): MutateReport['measured'] {
  const sum = (of: (measured: MutateReport['measured']) => number) =>
    reports.reduce((total, { measured }) => total + of(measured), 0);
  return {
    ...{ planned: sum(({ planned }) => planned), told: sum(({ told }) => told), runs: sum(({ runs }) => runs) },
    seconds: Math.max(...reports.map(({ measured }) => measured.seconds)),
    placebos: { run: sum(({ placebos }) => placebos.run), noticed: sum(({ placebos }) => placebos.noticed) },
  };
}

function unique<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}

function byFamily(a: ReportedLie, b: ReportedLie): number {
  const order = (row: ReportedLie) => familyRank(row.family);
  return order(a) - order(b) || (pairKey(a) < pairKey(b) ? -1 : pairKey(a) > pairKey(b) ? 1 : 0);
}
