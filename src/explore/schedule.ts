import { DEVIATION_NAMES, DEVIATIONS, type Deviation, deviationAt } from './deviation-table.ts';
import type { Step } from './step.ts';

/** One deviation, or outcome, at one step: both by name. */
export interface Entry {
  step: string;
  deviation: string;
}

/** What is changed in one run; the empty one is the plain run. */
export type Schedule = readonly Entry[];

/** Steps by name. */
export type StepBook = ReadonlyMap<string, Step>;

export function bookOf(steps: readonly Step[]): StepBook {
  return new Map(steps.map((step) => [step.name, step]));
}

const OUTCOMES = new Set(DEVIATIONS.filter(({ isOutcome }) => isOutcome).map(({ name }) => name));

export function isOutcome({ deviation }: Entry): boolean {
  return OUTCOMES.has(deviation);
}

/** How many deviations it has: outcomes do not count toward the bound. */
export function sizeOf(schedule: Schedule): number {
  return schedule.filter((entry) => !isOutcome(entry)).length;
}

/** The outcome of the work as one text: runs are compared with runs of the same outcome only. */
export function outcomeOf(schedule: Schedule): string {
  return keyOf(schedule.filter(isOutcome));
}

/** The same for the same entries in whatever order. */
export function keyOf(schedule: Schedule): string {
  return schedule.map(entryKey).sort().join(' + ');
}

/** A schedule in a line: `lost_answer at POST /v1/chat/completions #1`. */
export function titleOf(schedule: Schedule): string {
  return schedule.map(entryKey).join(' and ');
}

export function entryKey({ step, deviation }: Entry): string {
  return `${deviation} at ${step}`;
}

/** The row of an entry, where there is such a step and it allows that. */
export function deviationOf(entry: Entry, book: StepBook): Deviation | undefined {
  const step = book.get(entry.step);
  return step && deviationAt(step, entry.deviation);
}

/** Whether it can be run: known steps, at most one deviation and one outcome at each, and each allowed there. */
export function isAllowed(schedule: Schedule, book: StepBook): boolean {
  const sites = schedule.map((entry) => `${isOutcome(entry) ? 'outcome' : 'deviation'} ${entry.step}`);
  if (new Set(sites).size < sites.length) return false;
  return schedule.every((entry) => deviationOf(entry, book) !== undefined);
}

/** Whether a pattern of a flag means a deviation: `*` stands for any text, ` at STEP` narrows it to a step. */
export function fitsPattern(pattern: string, { deviation, step }: Entry): boolean {
  const [name = '', site] = splitOnce(pattern, ' at ');
  return glob(name).test(deviation) && (site === undefined || glob(site).test(step));
}

/** A deviation's name, a wildcard of some, or the part of one before its colon. */
export function fitsKind(kind: string, deviation: string): boolean {
  return glob(kind).test(deviation) || deviation.startsWith(`${kind}:`);
}

/** Whether a word of a flag means any deviation that there is. */
export function isKnownKind(kind: string): boolean {
  return DEVIATION_NAMES.some((name) => fitsKind(kind, name));
}

function splitOnce(text: string, by: string): [string, string?] {
  const at = text.indexOf(by);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + by.length)];
}

function glob(pattern: string): RegExp {
  const escaped = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`);
}
