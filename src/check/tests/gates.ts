import { LIE_FAMILIES, lieInWords } from '../../control/lies/lie-table.ts';
import { matches } from '../app/schedule.ts';
import { RunFault, TOO_LITTLE } from '../runner/runner.ts';
import { type BaselineFile, idleEntries, isAccepted, lastSurvivors } from './baseline.ts';
import { CACHED } from './judge-attempt.ts';
import type { ReachedSite } from './measured-run.ts';
import { brittleOf, bySite, countFamilies, type LieAtSite, type MutateReport, untriedOf } from './mutate-report.ts';
import { isSelected, type MutateSettings } from './mutate-settings.ts';
import { pairKey } from './plan.ts';

/** What a measurement is held to. */
export interface Gates {
  /** Noticed in a hundred of what reached a test, by family. */
  min: ReadonlyMap<string, number>;
  maxBrittle?: number | undefined;
  baseline?: BaselineFile | undefined;
  /** The day, as in 2027-01-31. */
  today: string;
  /** The whole plan was measured, so that what is not there is gone. */
  isWhole: boolean;
}

/** Reads `FAMILY=N`. Throws `RunFault`. */
export function readMin(texts: readonly string[]): Map<string, number> {
  return new Map(
    texts.map((text) => {
      const [, family = '', number = ''] = /^(\w+)=(\d{1,3})$/.exec(text) ?? [];
      const isFamily = (LIE_FAMILIES as readonly string[]).includes(family);
      if (isFamily && Number(number) <= 100) return [family, Number(number)];
      throw new RunFault(
        `--min is ${text.slice(0, 80)}; expected FAMILY=N such as money=90, with ${LIE_FAMILIES.join(', ')} and N up to 100.`,
      );
    }),
  );
}

/** Whether a survivor is one that the gates do not let pass. */
export function breaksGate({ baseline, today }: Gates): (site: LieAtSite) => boolean {
  if (!baseline) return () => true;
  const known = lastSurvivors(baseline);
  return (site) => !known.has(site.key) && !isAccepted(baseline, site, today);
}

/** A line for each gate that broke. */
export function brokenGates(report: MutateReport, gates: Gates): string[] {
  const { maxBrittle = Number.POSITIVE_INFINITY } = gates;
  const brittle = brittleOf(report).length;
  return [
    ...brokenShares(report, gates),
    ...(brittle > maxBrittle ? [`--max-brittle ${maxBrittle}: ${brittle} failed under what the contract allows.`] : []),
    ...brokenBaseline(report, gates),
  ];
}

/** A line for each family of which too few were noticed; survivors that are accepted are not counted. */
export function brokenShares(
  report: MutateReport,
  { min, baseline, today }: Pick<Gates, 'min' | 'baseline' | 'today'>,
): string[] {
  const counted = bySite(report.lies).filter(
    (site) => !(baseline && site.verdict === 'survived' && isAccepted(baseline, site, today)),
  );
  const families = countFamilies(counted);
  return [...min].flatMap(([family, least]) => {
    const { told, noticed } = families[family] ?? { told: 0, noticed: 0 };
    if (told === 0) return [`--min ${family}=${least}: no lie of ${family} reached a test.`];
    if (noticed * 100 >= least * told) return [];
    return [`--min ${family}=${least}: ${noticed} of ${told} were caught.`];
  });
}

function brokenBaseline(report: MutateReport, gates: Gates): string[] {
  const { baseline, today, isWhole } = gates;
  if (!baseline) return [];
  const sites = bySite(report.lies);
  const isNew = breaksGate(gates);
  const survivors = sites.filter((site) => site.verdict === 'survived' && isNew(site));
  return [
    ...survivors.map(
      ({ lie, field, key }) => `New since the baseline, not caught: ${lieInWords(lie, field)} (${key}).`,
    ),
    ...(isWhole ? [...fallenFamilies(report, baseline), ...idleLies(report, baseline, today)] : []),
  ];
}

/** A line for each entry of a lie that excuses nothing any more, of those that were asked for. */
export function idleLies(report: MutateReport, baseline: BaselineFile, today: string): string[] {
  const skipped = untriedOf(report, 'skipped');
  return idleEntries(baseline, bySite(report.lies), today)
    .filter(({ lie }) => !skipped.some((each) => matches(lie.split('@')[0] ?? '', each)))
    .map(
      ({ lie, unit }) => `The baseline accepts ${lie} of "${unit}", which excuses nothing any more: remove the entry.`,
    );
}

/** Families with fewer noticed in a hundred than the baseline had. */
function fallenFamilies({ families }: MutateReport, baseline: BaselineFile): string[] {
  return Object.entries(baseline.families).flatMap(([family, was]) => {
    const is = families[family];
    if (!is || is.noticed * was.told >= was.noticed * is.told) return [];
    return [`Of ${family} ${is.noticed} of ${is.told} were caught; the baseline has ${was.noticed} of ${was.told}.`];
  });
}

/** Whether a lie at its site was asked for of the shards of a report, and there was time for it. */
export function wasTriedBy(report: MutateReport): (site: ReachedSite) => boolean {
  const left = new Set(untriedOf(report, 'left (budget)'));
  const asked = new Set([...report.lies.map(({ lie }) => lie), ...untriedOf(report, 'no such road')]);
  return (site) => asked.has(site.lie) && !left.has(pairKey(site));
}

/**
 * Why a report says too little: nothing reached a test, or less than half of the plan. `settings` are those that it was made by,
 * and none of a merge: of a shard that had nothing to try, the merge judges.
 */
export function shortfallOf(
  report: MutateReport,
  settings?: MutateSettings,
): { exit_code: number; message: string } | undefined {
  const { planned, told } = report.measured;
  const hasOthers = report.liberties.length > 0 || report.lies.some(({ remembered }) => remembered);
  const isOfShard = settings !== undefined && settings.shard.of > 1;
  if (planned === 0 && (hasOthers || isOfShard)) return undefined;
  if (told === 0) {
    if (report.lies.some(({ output }) => output?.startsWith(CACHED))) return { exit_code: TOO_LITTLE, message: CACHED };
    const missing = untriedOf(report, 'no such road');
    const roads = missing.filter((lie) => !settings || settings.lie || isSelected(settings, { lie }));
    const met = roads.length === 0 ? '' : ` No test meets what these change: ${roads.slice(0, 12).join(', ')}.`;
    return { exit_code: TOO_LITTLE, message: `Nothing was measured: none of the chosen lies reached a test.${met}` };
  }
  if (told * 2 >= planned) return undefined;
  return {
    exit_code: TOO_LITTLE,
    message: `Only ${told} of ${planned} planned lies reached a test: less than half, which says too little. Give a longer --budget.`,
  };
}
