import { createHash } from 'node:crypto';
import { readPlainFile } from '../config/plain-file.ts';
import { Random } from '../random.ts';
import { RunFault } from '../runs/runner.ts';
import type { Verdict } from './judge-attempt.ts';
import { bySite, type LieAtSite } from './mutate-report.ts';
import { matches } from './mutate-settings.ts';
import { type Pair, pairKey, type Unit } from './plan.ts';
import type { MutateReport, ReportedLie } from './report-schema.ts';

/** A survivor that is let pass, with the reason; written by hand. */
export interface Accepted {
  /** A lie, in which `*` is any text; `LIE@SITE` for one site. */
  lie: string;
  unit: string;
  why: string;
  /** The last day on which it counts: an ISO date. */
  until?: string;
}

/** What is remembered of a lie at a unit. */
type RememberedLie = Pick<ReportedLie, 'lie' | 'field' | 'family' | 'site' | 'unit' | 'verdict' | 'harm'>;

/** The file of `--baseline`: committed, and written by `--update-baseline`. */
export interface BaselineFile {
  version: string;
  /** By unit: what it asked for, and what its file contained. */
  units: Record<string, { requests: string; file?: string }>;
  lies: RememberedLie[];
  families: MutateReport['families'];
  accepted: Accepted[];
}

export const EMPTY_BASELINE: Omit<BaselineFile, 'version'> = { units: {}, lies: [], families: {}, accepted: [] };

/** Reads a baseline; undefined where there is no such file. Throws `RunFault` for what is none. */
export function readBaseline(file: string): BaselineFile | undefined {
  const text = textOf(file);
  if (text === undefined) return undefined;
  const found: Partial<BaselineFile> = Object(parsed(text, file));
  const { accepted = [], lies = [], units = {}, families = {}, version = '' } = found;
  if (![accepted, lies].every(Array.isArray)) throw unusable(file, 'has no lists lies and accepted');
  for (const [at, entry] of accepted.entries()) requireEntry(entry, `accepted[${at}]`, file);
  return { version, units, lies, families, accepted };
}

function textOf(file: string): string | undefined {
  try {
    return readPlainFile(file);
  } catch (error) {
    if (Object(error).code === 'ENOENT') return undefined;
    throw unusable(file, `cannot be read: ${Object(error).message}`);
  }
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unusable(file, 'is no JSON');
  }
}

function requireEntry(entry: Accepted, name: string, file: string): void {
  for (const field of ['lie', 'unit', 'why'] as const) {
    const value = Object(entry)[field];
    if (typeof value !== 'string' || value.trim() === '') {
      throw unusable(file, `has an entry without ${field}: ${name}. Write {"lie", "unit", "why"} with all three`);
    }
  }
  if (entry.until !== undefined && Number.isNaN(Date.parse(entry.until))) {
    throw unusable(file, `has an entry whose until is no date: ${name}. Write it as 2027-01-31`);
  }
}

function unusable(file: string, what: string): RunFault {
  return new RunFault(`--baseline is ${file}, which ${what}.`);
}

/** A hash of what a unit asked for, and of its test file, by which a change of either is seen. */
export function marksOf({ seen, file }: Unit): { requests: string; file?: string } | undefined {
  // Without a file a deleted assertion cannot be seen; what differs by itself cannot be compared.
  const content = file === undefined ? undefined : textOf(file);
  if (content === undefined || new Set(seen).size !== 1) return undefined;
  return { requests: hashOf(seen[0] ?? ''), file: hashOf(content) };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** One in so many of what is remembered is measured again. */
const LOOK_AGAIN = 10;

/** What of a plan the baseline knows already: no survivor, and nothing has changed in any unit that meets it. */
export function rememberedOf(
  baseline: BaselineFile,
  pairs: readonly Pair[],
  draw: { seed: number; day: string },
): Map<string, ReportedLie[]> {
  const random = new Random(draw.seed);
  const isUnchanged = new Map<Unit, boolean>();
  const check = (unit: Unit) => {
    const known = isUnchanged.get(unit) ?? isSame(baseline.units[unit.name], marksOf(unit));
    isUnchanged.set(unit, known);
    return known;
  };
  const sites = new Map(bySite(baseline.lies).map((site) => [site.key, site]));
  return new Map(
    pairs.flatMap((pair): [string, ReportedLie[]][] => {
      const site = sites.get(pair.key);
      const isKept = site?.verdict === 'noticed' || site?.verdict === 'unread';
      if (!site || !isKept || !pair.units.every(check)) return [];
      if (random.chance(`${draw.day}:${pair.key}`, 'remembered', 1) < 1 / LOOK_AGAIN) return [];
      return [[pair.key, site.rows.map((row) => ({ ...row, remembered: true }))]];
    }),
  );
}

function isSame(
  known: { requests: string; file?: string } | undefined,
  now: { requests: string; file?: string } | undefined,
): boolean {
  return known !== undefined && now !== undefined && known.requests === now.requests && known.file === now.file;
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

/** The file that a report makes; what was accepted stays. */
export function makeBaseline(
  report: MutateReport,
  units: readonly Unit[],
  accepted: readonly Accepted[],
): BaselineFile {
  const marks = units.flatMap((unit) => {
    const own = marksOf(unit);
    return own ? [[unit.name, own] as const] : [];
  });
  const kept: readonly Verdict[] = ['noticed', 'survived', 'unread'];
  const lies = report.lies.filter(({ verdict }) => kept.includes(verdict)).map(rememberedRow);
  return {
    version: report.version,
    units: Object.fromEntries(marks),
    lies,
    families: report.families,
    accepted: [...accepted],
  };
}

function rememberedRow({ lie, field, family, site, unit, verdict, harm }: ReportedLie): RememberedLie {
  return { lie, ...(field === undefined ? {} : { field }), family, site, unit, verdict, harm };
}
