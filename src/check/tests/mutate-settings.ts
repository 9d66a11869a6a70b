import { quoted } from '../../base/errors.ts';
import { nearestName } from '../../base/text.ts';
import {
  LIBERTIES,
  LIE_FAMILIES,
  LIES,
  type LieFamily,
  lieRow,
  nearestLie,
  takesField,
} from '../../control/lies/lie-table.ts';
import { type RunOptions, readRunSettings } from '../app/explore-settings.ts';
import { fitsKind } from '../app/schedule.ts';
import { RunFault } from '../runner/runner.ts';
import type { ReachedSite } from './measured-run.ts';

/** What all forms take: the flags of `svc-emulator mutate` in camel case; by default lies of money, security and work. */
export interface MutateOptions extends RunOptions {
  /** Content and form too. */
  all?: boolean;
  /** This lie alone: `refund.none`, `refund.none@SITE`, `field.missing:usage`. */
  lie?: string;
  /** One baseline run instead of three. */
  trust?: boolean;
  /** Tries a lie at every unit that meets it, also where one has noticed it. */
  allUnits?: boolean;
  /** A run carries one lie, also where the fixtures report units. */
  oneByOne?: boolean;
}

/** A lie that is asked for by name. */
export interface NamedLie {
  lie: string;
  field: string | undefined;
  site: string | undefined;
}

/** Options as a measurement goes by them; `jobs` is undefined where it depends on what the suite is. */
export type MutateSettings = ReturnType<typeof readMutateSettings>;

const LIBERTY_FAMILY = 'liberties';
const BY_DEFAULT: readonly LieFamily[] = ['money', 'security', 'work'];
const BASELINE_RUNS = 3;

/** Throws `RunFault` for a value that is out of range or names nothing. */
export function readMutateSettings(options: MutateOptions) {
  const { all = false, lie, trust = false, allUnits = false, oneByOne = lie !== undefined } = options;
  const run = readRunSettings(options, '5m');
  const unknown = [...run.only, ...run.skip].find((name) => !isLie(name));
  if (unknown !== undefined) throw noSuch('lie or family', unknown);
  const alone = lie === undefined ? undefined : readLie(lie);
  return { ...run, all, lie: alone, baselineRuns: trust ? 1 : BASELINE_RUNS, allUnits, oneByOne };
}

/** Whether the options ask for this lie. */
export function isSelected(
  settings: MutateSettings,
  { lie, field, site }: { lie: string; field?: string | undefined; site?: string },
): boolean {
  const { only, skip, all, lie: alone } = settings;
  if (alone) {
    const isSite = alone.site === undefined || site === undefined || alone.site === site;
    return alone.lie === lie && isSite && (field === undefined || isAt(alone.field, field));
  }
  const family = lieRow(lie)?.family ?? 'form';
  const names = [lie, family];
  if (isNamed(skip, names)) return false;
  return only.length > 0 ? isNamed(only, names) : all || BY_DEFAULT.includes(family);
}

/** Whether a path that is asked for is that of a field, whose lists have `*` for every index. */
function isAt(asked: string | undefined, field: string): boolean {
  return asked === undefined || asked.replaceAll(/(?<=^|\.)\d+(?=\.|$)/g, '*') === field;
}

/** A site with the path that is asked for: of one index, or of all. */
export function asAsked<Site extends { field?: string | undefined }>({ lie }: MutateSettings, site: Site): Site {
  return site.field === undefined || lie?.field === undefined ? site : { ...site, field: lie.field };
}

/** Throws `RunFault` for a field that no answer and no event of the suite has, with the nearest one. */
export function requireField({ lie: alone }: MutateSettings, sites: readonly ReachedSite[]): void {
  const { lie, field } = alone ?? {};
  const fields = sites.flatMap((site) => (site.lie === lie && site.field !== undefined ? [site.field] : []));
  if (field === undefined || fields.length === 0 || fields.some((each) => isAt(field, each))) return;
  const nearest = nearestName(field, [...new Set(fields)]);
  throw new RunFault(
    `--lie is ${lie}:${field.slice(0, 120)}: no answer and no event that the tests get has such a field; the nearest is ${nearest}.`,
  );
}

/** Whether the options ask for this liberty: all of them unless lies alone are named. */
export function selectsLiberty(settings: MutateSettings, liberty: string): boolean {
  const { only, skip, lie } = settings;
  const names = [liberty, LIBERTY_FAMILY];
  return !lie && !isNamed(skip, names) && (only.length === 0 || isNamed(only, names));
}

/** Whether liberties are all that is asked for. */
export function selectsLibertiesOnly({ only }: MutateSettings): boolean {
  const names = [LIBERTY_FAMILY, ...LIBERTIES];
  return only.length > 0 && only.every((each) => isNamed([each], names));
}

function isNamed(patterns: readonly string[], names: readonly string[]): boolean {
  return patterns.some((each) => names.some((name) => fitsKind(each, name)));
}

/** What lies, liberties and their families are called. */
export const NAMES_OF_LIES: readonly string[] = [
  ...LIE_FAMILIES,
  LIBERTY_FAMILY,
  ...LIBERTIES,
  ...LIES.map(({ name }) => name),
];

/** Whether a word of a flag means any of them. */
export function isLie(pattern: string): boolean {
  return NAMES_OF_LIES.some((name) => fitsKind(pattern, name));
}

/** The fault of a name that is none, with the nearest one. */
function noSuch(what: string, name: string): RunFault {
  const nearest = nearestLie(name);
  return new RunFault(`There is no ${what} ${quoted(name)}; the nearest is ${nearest}. svc-emulator lies lists them.`);
}

function readLie(text: string): NamedLie {
  const [, lie = '', field, site] = /^([^@:]+)(?::([^@]+))?(?:@(.+))?$/.exec(text) ?? [];
  if (!lieRow(lie)) throw noSuch('lie', lie);
  if (field !== undefined && !takesField(lie)) {
    throw new RunFault(`--lie is ${text.slice(0, 120)}: ${lie} has no field; expected ${lie} or ${lie}@SITE.`);
  }
  return { lie, field, site };
}
