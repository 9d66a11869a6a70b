import { requireSameRun } from '../runner/same-run.ts';
import { bySite, countFamilies, familyRank } from './mutate-report.ts';
import { pairKey } from './plan.ts';
import type { MutateReport, ReportedLie, ReportedUnit } from './report-schema.ts';

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
