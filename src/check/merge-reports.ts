import type { ExploreReport, ReportedFinding } from './app/explore-report.ts';
import { addFinding } from './app/finding-book.ts';
import type { CheckReport, PartReports } from './check-report.ts';
import { RunFault } from './runner/runner.ts';
import {
  bySite,
  countFamilies,
  familyRank,
  type MutateReport,
  type ReportedLie,
  type ReportedUnit,
} from './tests/mutate-report.ts';
import { pairKey } from './tests/plan.ts';

/** The parts of all shards of one check as one. Throws where they are not of one. */
export function mergeParts(reports: readonly CheckReport[]): PartReports {
  requireSameRun(reports, ['version', 'command', 'seed', 'lock']);
  const parts = reports.map((report) => report.parts);
  const apps = parts.flatMap(({ app }) => app ?? []);
  const tests = parts.flatMap((each) => each.tests ?? []);
  const [spend] = parts.flatMap((each) => each.spend ?? []);
  const [receiver] = parts.flatMap((each) => each.receiver ?? []);
  const [service] = parts.flatMap((each) => each.service ?? []);
  return {
    ...(apps.length > 0 && { app: mergeReports(apps) }),
    ...(tests.length > 0 && { tests: mergeMutateReports(tests) }),
    ...(spend && { spend }),
    ...(receiver && { receiver }),
    ...(service && { service }),
  };
}

/** One report of the shards of one search. Throws where they are not of one. */
export function mergeReports(reports: readonly ExploreReport[]): ExploreReport {
  const first = requireSameRun(reports, ['version', 'seed', 'bound', 'schedules_hash']);
  return reports.slice(1).reduce(added, first);
}

function added(sum: ExploreReport, each: ExploreReport): ExploreReport {
  const counted = ['schedules_run', 'schedules_left', 'schedules_followed'] as const;
  const sums = Object.fromEntries(counted.map((field) => [field, sum[field] + each[field]]));
  return Object.assign({}, sum, sums, {
    seconds: Math.max(sum.seconds, each.seconds),
    findings: unitedFindings(sum.findings, each.findings),
    unstable: united(sum.unstable, each.unstable),
    unconfirmed: united(sum.unconfirmed, each.unconfirmed),
    by_deviation: addedBy(sum.by_deviation, each.by_deviation, (a, b) => ({
      run: (a?.run ?? 0) + (b?.run ?? 0),
      failed: (a?.failed ?? 0) + (b?.failed ?? 0),
    })),
    ...(sum.planned_by_deviation && {
      planned_by_deviation: addedBy(sum.planned_by_deviation, each.planned_by_deviation ?? {}, (a = 0, b = 0) => a + b),
    }),
    ...(sum.expects_success && { expects_success: [...sum.expects_success, ...(each.expects_success ?? [])] }),
    ...((sum.error ?? each.error) ? { error: sum.error ?? each.error } : {}),
  });
}

/** What one cause brought about in several shards is one finding. */
function unitedFindings(some: readonly ReportedFinding[], others: readonly ReportedFinding[]): ReportedFinding[] {
  const all = some.map((each) => ({ ...each }));
  for (const each of others) addFinding(all, { ...each });
  return all;
}

function united<T extends { token: string; seen: number }>(some: readonly T[], others: readonly T[]): T[] {
  const all = new Map(some.map((each) => [each.token, each]));
  for (const each of others) {
    const same = all.get(each.token);
    all.set(each.token, same ? { ...same, seen: same.seen + each.seen } : each);
  }
  return [...all.values()];
}

/** What two shards have counted, by its name. */
function addedBy<T>(some: Record<string, T>, others: Record<string, T>, add: (a?: T, b?: T) => T): Record<string, T> {
  const names = [...new Set([...Object.keys(some), ...Object.keys(others)])];
  return Object.fromEntries(names.map((name) => [name, add(some[name], others[name])]));
}

/** Nothing, a broken gate, too little: what these say of a part is judged anew of the whole. */
const JUDGED_ANEW: readonly number[] = [0, 1, 3];

/** One report of the shards of one measurement. Throws where they are not of one. */
export function mergeMutateReports(reports: readonly MutateReport[]): MutateReport {
  const { version, command, seed, control, units: own } = requireSameRun(reports, ['version', 'command', 'seed']);
  const lies = unique(
    reports.flatMap((each) => each.lies),
    (row) => `${pairKey(row)} ${row.unit}`,
  ).toSorted(byFamily);
  const planned = new Set(lies.map(pairKey));
  const unreached = unique(
    reports.flatMap((each) => each.unreached),
    ({ lie, why }) => `${lie} ${why}`,
  ).filter(({ lie, why }) => why !== 'left (budget)' || !planned.has(lie));
  const liberties = unique(
    reports.flatMap((each) => each.liberties),
    ({ liberty, unit }) => `${liberty} ${unit}`,
  );
  const ended = reports.filter(({ exit }) => !JUDGED_ANEW.includes(exit));
  const exit = Math.max(0, ...ended.map((report) => report.exit));
  const error = ended.find((report) => report.exit === exit)?.error;
  const units = own.map((unit) => mergedUnit(unit, reports));
  const measured = addedMeasures(reports);
  const families = countFamilies(bySite(lies));
  return { version, command, seed, measured, control, units, lies, liberties, unreached, families, exit, error };
}

/** A unit as the first shard has it; without marks where it was another in one of them. */
function mergedUnit(unit: ReportedUnit, others: readonly MutateReport[]): ReportedUnit {
  const { marks, ...rest } = unit;
  const isSame = others.every(({ units }) => {
    const other = units.find(({ name }) => name === unit.name)?.marks;
    return other?.requests === marks?.requests && other?.file === marks?.file;
  });
  return marks && isSame ? unit : rest;
}

function addedMeasures(reports: readonly MutateReport[]): MutateReport['measured'] {
  const sum = (of: (measured: MutateReport['measured']) => number) =>
    reports.reduce((total, { measured }) => total + of(measured), 0);
  return {
    planned: sum(({ planned }) => planned),
    told: sum(({ told }) => told),
    runs: sum(({ runs }) => runs),
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

/** The first of reports. Throws `RunFault` where they are not of one run: what they are merged by differs. */
function requireSameRun<Report extends object>(
  reports: readonly Report[],
  fields: readonly (keyof Report & string)[],
): Report {
  const [first, ...rest] = reports;
  if (!first) throw new RunFault('There is no report to merge.');
  for (const field of fields) {
    const other = rest.find((each) => each[field] !== first[field]);
    if (!other) continue;
    throw new RunFault(
      `The reports are not of one run: ${field} is ${first[field]} in one and ${other[field]} in another.`,
    );
  }
  return first;
}
