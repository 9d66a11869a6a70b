import { LIES } from '../../engine/faults/lies/lie-table.ts';
import type { Row } from './judge-attempt.ts';
import { bySite, countFamilies, isTold } from './mutate-report.ts';
import { isWanted, type MutateSettings, wantsLibertiesOnly } from './mutate-settings.ts';
import type { MutationRun } from './mutation-run.ts';
import { type Pair, pairKey, type Unit } from './plan.ts';
import { proposeAssertion } from './propose-assertion.ts';
import type { MutateReport, ReportedLie, ReportedUnit } from './report-schema.ts';
import type { Truth } from './truth.ts';
import { marksOf } from './unit-marks.ts';

/** A report of nothing, for what ended before the first lie. */
export const NOTHING_MEASURED = {
  measured: { planned: 0, told: 0, runs: 0, seconds: 0, placebos: { run: 0, noticed: 0 } },
  control: { requests: 0, passed_dead: [] as string[] },
  ...{ units: [], lies: [], liberties: [], unreached: [], families: {}, exit: 0 },
} satisfies Omit<MutateReport, 'version' | 'command' | 'seed'>;

/** What a measurement has come to. */
export interface Measured {
  /** What the report names: the version of the emulator, and the command that was measured. */
  named: { version: string; command: string };
  settings: MutateSettings;
  truth: Truth | undefined;
  control: MutateReport['control'];
  planned: readonly Pair[];
  /** What there was no room for. */
  left: readonly Pair[];
  remembered: readonly ReportedLie[];
  run: MutationRun | undefined;
  runs: number;
  ms: number;
}

/** What there is now as a report, without gates. */
export function reportOf({ named, settings, truth, control, run, left, ...rest }: Measured): MutateReport {
  const own = (run?.rows ?? []).map((row) => reportedLie(row, truth, named.command));
  const lies = [...own, ...rest.remembered];
  const units = truth?.units ?? [];
  const measured = {
    planned: rest.planned.length,
    told: bySite(own).filter((site) => isTold(site)).length,
    runs: rest.runs,
    seconds: Math.round(rest.ms / 100) / 10,
    placebos: { run: 0, noticed: 0, ...run?.placebos },
  };
  return {
    ...{ ...named, seed: settings.seed, measured, control, units: units.map(reportedUnit), lies },
    liberties: reportedLiberties(run?.liberties ?? []),
    unreached: truth ? unplanned(units, settings, [...left, ...(run?.untried.liberties ?? [])]) : [],
    families: countFamilies(bySite(lies)),
    exit: 0,
  };
}

export function reportedUnit(unit: Unit): ReportedUnit {
  const { name, file, line, ms, sites } = unit;
  const met = [...new Set(sites.map(({ site }) => site))].sort();
  return { name, file, line, ms, sites: met, marks: marksOf(unit) };
}

/** What a unit made of a lie; of a survivor with the assertion that sees it, where one is proven. */
function reportedLie(row: Row, truth: Truth | undefined, command: string): ReportedLie {
  const { pair, unit, verdict, harm, by, output } = row;
  const { lie, field, family, site } = pair;
  const isUnseen = verdict === 'survived' || verdict === 'unread';
  const assertion = isUnseen && truth ? proposeAssertion(row, truth, command) : undefined;
  return { lie, field, family, site, unit: unit.name, verdict, harm, by, output, assertion };
}

/** Which units passed under which liberties, of those that met them. */
function reportedLiberties(rows: readonly Row[]): MutateReport['liberties'] {
  return rows.flatMap(({ pair, unit, verdict }) => {
    if (verdict === 'no_verdict' || verdict === 'unreached') return [];
    return [{ liberty: pair.lie, unit: unit.name, tolerated: verdict !== 'noticed' }];
  });
}

/** What is in no row of a report: lies that no unit meets, lies that are not asked for, and what is left. */
export function unplanned(
  units: readonly Unit[],
  settings: MutateSettings,
  left: readonly Pair[],
): MutateReport['unreached'] {
  const ofBudget = left.map(({ key }) => ({ lie: key, why: 'left (budget)' as const }));
  const { lie: alone } = settings;
  if (alone) {
    const isMet = units.some(({ sites }) => sites.some((each) => isWanted(settings, each)));
    const { lie, field, site = '' } = alone;
    return isMet ? ofBudget : [{ lie: pairKey({ lie, field, site }), why: 'no such road' }];
  }
  const met = new Set(units.flatMap(({ sites }) => sites.map(({ lie }) => lie)));
  const others = (wantsLibertiesOnly(settings) ? [] : LIES).flatMap(({ name }): MutateReport['unreached'] => {
    if (!isWanted(settings, { lie: name })) return [{ lie: name, why: 'skipped' }];
    return met.has(name) ? [] : [{ lie: name, why: 'no such road' }];
  });
  return [...others, ...ofBudget];
}
