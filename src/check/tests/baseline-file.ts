import { readPlainFile } from '../../base/config/plain-file.ts';
import { RunFault } from '../runner/runner.ts';
import type { MutateReport, ReportedLie, UnitMarks } from './report-schema.ts';

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
export interface RememberedLie
  extends Pick<ReportedLie, 'lie' | 'field' | 'family' | 'site' | 'unit' | 'verdict' | 'harm'> {
  /** A survivor that was run with no other lie. */
  alone?: boolean;
}

/** The file of `--baseline`: committed, and written by `--update-baseline`. */
export interface BaselineFile {
  version: string;
  /** By unit: what it asked for, and what its file contained. */
  units: Record<string, UnitMarks>;
  lies: RememberedLie[];
  families: MutateReport['families'];
  accepted: Accepted[];
}

export const EMPTY_BASELINE: Omit<BaselineFile, 'version'> = { units: {}, lies: [], families: {}, accepted: [] };

/** Reads a baseline; undefined where there is no such file. Throws `RunFault` for what is none. */
export function readBaseline(file: string): BaselineFile | undefined {
  const text = textOf(file);
  if (text === undefined) return undefined;
  return baselineOf(parsed(text, file), file);
}

/** A baseline as its file, or part of one, has it. Throws `RunFault` for what is none. */
export function baselineOf(value: unknown, file: string): BaselineFile {
  if (!isRecord(value)) throw unusable(file, 'is no baseline; expected the object that --update-baseline writes');
  const found: Partial<BaselineFile> = value;
  const { accepted = [], lies = [], units = {}, families = {}, version = '' } = found;
  if (![accepted, lies].every(Array.isArray)) throw unusable(file, 'has no lists lies and accepted');
  if (!lies.every(isRecord)) throw unusable(file, 'has something in lies that is no record');
  if (![units, families].every(isRecord)) throw unusable(file, 'has no records units and families');
  for (const [at, entry] of accepted.entries()) requireEntry(entry, `accepted[${at}]`, file);
  return { version, units, lies, families, accepted };
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
