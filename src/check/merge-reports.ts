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
  // Of what each shard does whole it is that of the first.
  const first: PartReports = Object.assign({}, ...parts.toReversed());
  return {
    ...first,
    ...(apps.length > 0 && { app: mergeReports(apps) }),
    ...(tests.length > 0 && { tests: mergeMutateReports(tests) }),
  };
}

/** One report of the shards of one search. Throws where they are not of one. */
export function mergeReports(reports: readonly ExploreReport[]): ExploreReport {
  const first = requireSameRun(reports, ['version', 'seed', 'bound', 'schedules_hash']);
  return reports.slice(1).reduce(added, first);
}

function added(sum: ExploreReport, each: ExploreReport): ExploreReport {
  const error = sum.error ?? each.error;
  return {
    ...sum,
    ...summed(countsOf(sum), countsOf(each)),
    seconds: Math.max(sum.seconds, each.seconds),
    findings: unitedFindings(sum.findings, each.findings),
    unstable: united(sum.unstable, each.unstable),
    unconfirmed: united(sum.unconfirmed, each.unconfirmed),
    ...(sum.expects_success && { expects_success: [...sum.expects_success, ...(each.expects_success ?? [])] }),
    ...(error && { error }),
  };
}

function countsOf(report: ExploreReport) {
  const { schedules_run, schedules_left, schedules_followed, by_deviation, planned_by_deviation } = report;
  const planned = planned_by_deviation && { planned_by_deviation };
  return { schedules_run, schedules_left, schedules_followed, by_deviation, ...planned };
}

/** What two shards have counted, by its name. */
function summed<Counts>(some: Counts | undefined, others: Counts | undefined): Counts {
  if (typeof (some ?? others) === 'number') return (Number(some ?? 0) + Number(others ?? 0)) as Counts;
  const names = new Set([...Object.keys(Object(some)), ...Object.keys(Object(others))]);
  return Object.fromEntries(
    [...names].map((name) => [name, summed(Object(some)[name], Object(others)[name])]),
  ) as Counts;
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

/** Nothing, a broken gate, too little: what these say of a part is judged anew of the whole. */
const JUDGED_ANEW: readonly number[] = [0, 1, 3];

/** One report of the shards of one measurement. Throws where they are not of one. */
export function mergeMutateReports(reports: readonly MutateReport[]): MutateReport {
  const { version, command, seed, control, units: own } = requireSameRun(reports, ['version', 'command', 'seed']);
  const allOf = <T>(rowsOf: (report: MutateReport) => readonly T[], keyOf: (row: T) => string) => [
    ...new Map(reports.flatMap(rowsOf).map((row) => [keyOf(row), row])).values(),
  ];
  const lies = allOf(
    (each) => each.lies,
    (row) => `${pairKey(row)} ${row.unit}`,
  ).toSorted(byFamily);
  const planned = new Set(lies.map(pairKey));
  const unreached = allOf(
    (each) => each.unreached.filter(({ lie, why }) => why !== 'left (budget)' || !planned.has(lie)),
    ({ lie, why }) => `${lie} ${why}`,
  );
  const liberties = allOf(
    (each) => each.liberties,
    ({ liberty, unit }) => `${liberty} ${unit}`,
  );
  const ended = reports.filter(({ exit }) => !JUDGED_ANEW.includes(exit));
  const exit = Math.max(0, ...ended.map((report) => report.exit));
  const error = ended.find((report) => report.exit === exit)?.error;
  const units = own.map((unit) => mergedUnit(unit, reports));
  const all = reports.map((each) => each.measured);
  const seconds = Math.max(...all.map((each) => each.seconds));
  const measured = { ...all.reduce((sum, each) => summed(sum, each)), seconds };
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

function byFamily(a: ReportedLie, b: ReportedLie): number {
  const [one, other] = [pairKey(a), pairKey(b)];
  return familyRank(a.family) - familyRank(b.family) || Number(one > other) - Number(one < other);
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
