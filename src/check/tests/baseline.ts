import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { readPlainFile } from '../../base/config/plain-file.ts';
import { Random } from '../../base/random.ts';
import { matches } from '../app/schedule.ts';
import { baselineText, excuse } from '../read-baseline.ts';
import { type Known, NOT_RUN_ALONE } from './judge-attempt.ts';
import {
  bySite,
  countFamilies,
  isMeasured,
  type LieAtSite,
  lie,
  type MutateReport,
  mutateReport,
  type ReportedLie,
  type UnitMarks,
  unitMarks,
} from './mutate-report.ts';
import { type Pair, pairKey, type Unit } from './plan.ts';

/** A survivor that is let pass; written by hand. In `lie` `*` is any text; `LIE@SITE` is of one site. */
export const acceptedLie = z.object({ lie: baselineText, unit: baselineText, ...excuse });

const keptLie = lie
  .pick({ lie: true, field: true, family: true, site: true, unit: true, verdict: true, harm: true })
  .strip();
/** What is remembered of a lie at a unit; `alone`: a survivor that was run with no other lie. */
const rememberedLie = keptLie.extend({ alone: z.boolean().optional() });

/** The file of `--baseline`: committed, and written by `--update-baseline`. */
export const baselineFile = z.object({
  version: z.string().default(''),
  /** By unit: what it asked for, and what its file contained. */
  units: z.record(z.string(), unitMarks).default({}),
  lies: z.array(rememberedLie).default([]),
  families: mutateReport.shape.families.default({}),
  accepted: z.array(acceptedLie).default([]),
});

export type Accepted = z.infer<typeof acceptedLie>;
export type RememberedLie = z.infer<typeof rememberedLie>;
export type BaselineFile = z.infer<typeof baselineFile>;

export const EMPTY_BASELINE: BaselineFile = baselineFile.parse({});

/** One in so many of what is remembered is measured again. */
const LOOK_AGAIN = 10;

/** The units that are as the baseline has them: they ask for the same, and their files contain the same. */
export function unchangedUnits(baseline: BaselineFile, units: readonly Unit[]): Set<Unit> {
  const isSame = (unit: Unit) => {
    const marks = marksOf(unit);
    return marks !== undefined && isDeepStrictEqual(baseline.units[unit.name], marks);
  };
  return new Set(units.filter(isSame));
}

/** What of a plan the baseline knows already: no survivor, and nothing has changed in any unit that meets it. */
export function rememberedOf(
  baseline: BaselineFile,
  pairs: readonly Pair[],
  { seed, day, unchanged }: { seed: number; day: string; unchanged: ReadonlySet<Unit> },
): Map<string, ReportedLie[]> {
  const random = new Random(seed);
  const sites = new Map(bySite(baseline.lies).map((site) => [site.key, site]));
  return new Map(
    pairs.flatMap((pair): [string, ReportedLie[]][] => {
      const site = sites.get(pair.key);
      const isKept = site?.verdict === 'noticed' || site?.verdict === 'unread';
      // What a test noticed that no longer meets the lie is noticed by nothing.
      const isMet = site?.rows.every(({ unit }) => pair.units.some(({ name }) => name === unit));
      if (!site || !isKept || !isMet || !pair.units.every((unit) => unchanged.has(unit))) return [];
      if (random.chance(`${day}:${pair.key}`, 'remembered', 1) < 1 / LOOK_AGAIN) return [];
      return [[pair.key, site.rows.map((row) => ({ ...keptLie.parse(row), remembered: true }))]];
    }),
  );
}

/** What the baseline knows of a lie at a unit that has not changed: it needs no second run to be believed again. */
export function knownOf(
  { lies }: BaselineFile,
  unchanged: ReadonlySet<Unit>,
): (pair: Pair, unit: Unit) => Known | undefined {
  const nameOf = (key: string, unit: string) => JSON.stringify([key, unit]);
  const known = new Map(
    lies.flatMap((row): [string, Known][] => {
      const isKnown = row.verdict === 'noticed' || (row.verdict === 'survived' && row.alone);
      return isKnown ? [[nameOf(pairKey(row), row.unit), row.verdict as Known]] : [];
    }),
  );
  return (pair, unit) => (unchanged.has(unit) ? known.get(nameOf(pair.key, unit.name)) : undefined);
}

/** Keys of what survived the last time: it is tried first. */
export function lastSurvivors({ lies }: BaselineFile): Set<string> {
  return new Set(bySite(lies).flatMap(({ verdict, key }) => (verdict === 'survived' ? [key] : [])));
}

/** Whether a survivor is let pass by an entry whose day has not gone by. */
export function isAccepted(baseline: BaselineFile, site: LieAtSite, today: string): boolean {
  const survived = site.rows.filter(({ verdict }) => verdict === 'survived');
  return survived.every((row) => baseline.accepted.some((entry) => excuses(entry, row, today)));
}

function excuses({ lie, unit, until }: Accepted, row: ReportedLie, today: string): boolean {
  const isOfLie = matches(lie, row.lie) || matches(lie, pairKey(row));
  return isOfLie && unit === row.unit && (until === undefined || until >= today);
}

/** Entries that excuse nothing any more. */
export function idleEntries(baseline: BaselineFile, sites: readonly LieAtSite[], today: string): Accepted[] {
  const survived = sites.filter(({ verdict }) => verdict === 'survived').flatMap(({ rows }) => rows);
  return baseline.accepted.filter(
    (entry) => !survived.some((row) => row.verdict === 'survived' && excuses(entry, row, today)),
  );
}

/**
 * The file that a report makes of the one before: what was accepted stays, and so do the lies that were not asked for, or
 * for which there was no time.
 */
export function makeBaseline(
  report: MutateReport,
  { before, hasTried }: { before: BaselineFile; hasTried(row: RememberedLie): boolean },
): BaselineFile {
  const measured = new Set(report.lies.map(pairKey));
  const kept = before.lies.filter((row) => !measured.has(pairKey(row)) && !hasTried(row));
  const lies = bySite(report.lies).flatMap((site) =>
    site.rows.filter(isMeasured).map((row) => rememberedRow(row, site)),
  );
  return {
    version: report.version,
    units: marksOfAll(report.units, before.units, new Set(kept.map(({ unit }) => unit))),
    lies: [...lies, ...kept],
    families: countFamilies(bySite([...report.lies, ...kept])),
    accepted: before.accepted,
  };
}

/** Where lies of a unit are kept from before, its marks are those of then: what has changed since is measured again. */
function marksOfAll(
  units: MutateReport['units'],
  before: BaselineFile['units'],
  kept: ReadonlySet<string>,
): BaselineFile['units'] {
  const names = new Set([...units.map(({ name }) => name), ...kept]);
  const marks = [...names].flatMap((name) => {
    const own = kept.has(name) ? before[name] : units.find((each) => each.name === name)?.marks;
    return own ? [[name, own] as const] : [];
  });
  return Object.fromEntries(marks);
}

/** A survivor was run alone, unless there was no time for it, or another unit has noticed its lie. */
function rememberedRow(row: ReportedLie, { verdict: best }: LieAtSite): RememberedLie {
  const isAlone = best === 'survived' && row.verdict === 'survived' && row.output !== NOT_RUN_ALONE;
  return { ...keptLie.parse(row), ...(isAlone && { alone: true }) };
}

/**
 * The marks of a unit; undefined without a file, where a deleted assertion cannot be seen, and where its requests differ by
 * themselves.
 */
export function marksOf({ seen, file }: Pick<Unit, 'seen' | 'file'>): UnitMarks | undefined {
  const content = file === undefined ? undefined : contentOf(file);
  if (content === undefined || new Set(seen).size !== 1) return undefined;
  return { requests: hashOf(seen[0] ?? ''), file: hashOf(content) };
}

/** A test file; undefined where it cannot be read. */
export function contentOf(file: string): string | undefined {
  try {
    return readPlainFile(file);
  } catch {
    return undefined;
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
