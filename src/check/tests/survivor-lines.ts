import { counted } from '../../base/counted.ts';
import { lieInWords, lieRow } from '../../control/lies/lie-table.ts';
import { type LieAtSite, placeOf, survivingUnits, survivorsOf } from './mutate-report.ts';
import type { MutateReport, ReportedUnit } from './report-schema.ts';

/** Survivors that one line of a test notices. */
interface Group {
  line: string;
  /** The test that the line is for; undefined where it is proven for none. */
  unit: string | undefined;
  sites: LieAtSite[];
}

/** Below the survivors of a group stand the tests that meet them, and what notices them. */
const LINES_OF_GROUP = 2;
/** With fewer left nothing of a group is printed. */
const LEAST_ROOM = LINES_OF_GROUP + 2;
const MOST_NAMES = 3;
/** How the line of a group begins that has its assertion. */
export const ASSERTION = '     Add this assertion';

/** The survivors, numbered, those that harm first, in so many lines at most. */
export function survivorLines(report: MutateReport, room: number): string[] {
  const lines: string[] = [];
  const groups = groupsOf(survivorsOf(report));
  let shown = 0;
  for (const group of groups) {
    // The last line says what is left.
    const left = room - lines.length - 1;
    if (left < LEAST_ROOM) break;
    const own = linesOf(group, { first: shown + 1, room: left, units: report.units });
    lines.push(...own);
    shown += group.sites.length;
  }
  const hidden = groups.reduce((sum, { sites }) => sum + sites.length, 0) - shown;
  return hidden > 0 ? [...lines, `  and ${hidden} more: --report FILE.html has all of them.`] : lines;
}

/** As few groups as there are: of the lines that are proven those that notice most. */
function groupsOf(survivors: readonly LieAtSite[]): Group[] {
  const open = new Set(survivors);
  const proven = provenLines(survivors);
  const groups: Group[] = [];
  for (;;) {
    const [most] = proven
      .map((each) => ({ ...each, sites: each.sites.filter((site) => open.has(site)) }))
      .filter(({ sites }) => sites.length > 0)
      .sort((a, b) => b.sites.length - a.sites.length);
    if (!most) break;
    groups.push(most);
    for (const site of most.sites) open.delete(site);
  }
  groups.push(...unprovenGroups([...open]));
  const order = ({ sites: [first] }: Group) => (first ? survivors.indexOf(first) : 0);
  return groups.sort((a, b) => order(a) - order(b));
}

/** What notices these lies in general, each once. */
function unprovenGroups(survivors: readonly LieAtSite[]): Group[] {
  const sees = (site: LieAtSite) => lieRow(site.lie)?.sees ?? '';
  const lines = [...new Set(survivors.map(sees))];
  return lines.map((line) => ({ line, unit: undefined, sites: survivors.filter((site) => sees(site) === line) }));
}

/** Each proven assertion with the test that it is for, and the survivors that it notices there. */
function provenLines(survivors: readonly LieAtSite[]): Group[] {
  const lines = new Map<string, Group>();
  for (const site of survivors) {
    for (const { verdict, unit, assertion } of site.rows) {
      if (verdict !== 'survived' || assertion === undefined) continue;
      const key = JSON.stringify([unit, assertion]);
      const known = lines.get(key) ?? { line: assertion.split('\n').at(-1) ?? '', unit, sites: [] };
      lines.set(key, { ...known, sites: [...known.sites, site] });
    }
  }
  return [...lines.values()];
}

function linesOf(
  { line, unit, sites }: Group,
  { first, room, units }: { first: number; room: number; units: readonly ReportedUnit[] },
): string[] {
  const most = sites.length + LINES_OF_GROUP <= room ? sites.length : room - LINES_OF_GROUP - 1;
  const others = sites.length - most;
  const met = new Set([...(unit === undefined ? [] : [unit]), ...sites.flatMap(survivingUnits)]);
  const where = met.size > 1 && unit !== undefined ? ' to the first test' : '';
  return [
    ...sites.slice(0, most).map((site, at) => `${String(first + at).padStart(3)}. ${inWords(site)}`),
    ...(others === 0 ? [] : [`     and ${counted(others, 'other lie')} that the same assertion catches`]),
    `     tests: ${metBy([...met], units)}`,
    `${ASSERTION}${where}: ${line}`,
  ];
}

function inWords({ lie, field, site, harm }: LieAtSite): string {
  const harmed = harm ? '; your app did something else than usual' : '';
  return `${lieInWords(lie, field)} (${lie}, ${site}${harmed})`;
}

function metBy(names: readonly string[], units: readonly ReportedUnit[]): string {
  const shown = names.slice(0, MOST_NAMES).map((name) => placeOf(name, units));
  const left = names.length - shown.length;
  return `${shown.join(' · ')}${left > 0 ? ` · ${left} more` : ''}`;
}
