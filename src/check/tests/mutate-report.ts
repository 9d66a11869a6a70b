import { grouped } from '../../base/grouped.ts';
import { placeText } from '../../base/text.ts';
import { LIE_FAMILIES } from '../../control/lies/lie-table.ts';
import { bestVerdict, type Verdict } from './judge-attempt.ts';
import { pairKey } from './plan.ts';
import type { MutateReport, ReportedLie, ReportedUnit } from './report-schema.ts';

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

/** Groups rows by lie and site, in their order; the verdict is the best of the units. */
export function bySite(lies: readonly ReportedLie[]): LieAtSite[] {
  return [...grouped(lies, pairKey)].flatMap(([key, rows]): LieAtSite[] => {
    const [first] = rows;
    if (!first) return [];
    const { lie, field, family, site } = first;
    const verdict = bestVerdict(rows);
    const harm = verdict === 'survived' && rows.some((row) => row.harm);
    return [{ key, lie, field, family, site, verdict, harm, rows }];
  });
}

/** What counts as having reached a test: it acted, and something can be said of it. */
const TOLD: readonly Verdict[] = ['noticed', 'survived', 'unread'];

export function isMeasured({ verdict }: { verdict: Verdict }): boolean {
  return TOLD.includes(verdict);
}

/** Lies at their sites by family, in the order of the families. */
export function countFamilies(sites: readonly LieAtSite[]): MutateReport['families'] {
  const measured = sites.filter(isMeasured);
  const counts = LIE_FAMILIES.map((family) => {
    const own = measured.filter((each) => each.family === family);
    return [family, { told: own.length, noticed: own.filter(({ verdict }) => verdict === 'noticed').length }] as const;
  });
  return Object.fromEntries(counts.filter(([, count]) => count.told > 0));
}

/** Survivors, those that harm first, then as the families come. */
export function survivorsOf(report: MutateReport): LieAtSite[] {
  const rank = ({ harm, family }: LieAtSite) => (harm ? 0 : 10) + familyRank(family);
  return bySite(report.lies)
    .filter(({ verdict }) => verdict === 'survived')
    .sort((a, b) => rank(a) - rank(b));
}

/** The place of a family in their order. */
export function familyRank(family: string): number {
  return (LIE_FAMILIES as readonly string[]).indexOf(family);
}

/** The names of the units that met a lie at its site and passed. */
export function survivingUnits({ rows }: Pick<LieAtSite, 'rows'>): string[] {
  return rows.filter(({ verdict }) => verdict === 'survived').map(({ unit }) => unit);
}

/** A unit with its file and line, where they are known. */
export function placeOf(name: string, units: readonly ReportedUnit[]): string {
  return name + placeText(units.find((each) => each.name === name));
}

/** What failed under a change that the contract allows. */
export function brittleOf({ liberties }: MutateReport): MutateReport['liberties'] {
  return liberties.filter(({ tolerated }) => !tolerated);
}

/** Lies that have no row in a report, for one reason. */
export function untriedOf({ unreached }: MutateReport, why: MutateReport['unreached'][number]['why']): string[] {
  return unreached.filter((each) => each.why === why).map(({ lie }) => lie);
}
