import type { RequestRow } from '../runner/run-record.ts';
import { DEVIATIONS, type Deviation, deviationAt } from './deviation-table.ts';
import { isMeant, type Step } from './step.ts';

/** One deviation, or outcome, at one step: both by name. */
export interface Entry {
  step: string;
  deviation: string;
}

/** One entry with the step that it is bound to. */
export interface Bound {
  entry: Entry;
  step: Step;
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

/** A schedule in words: `delivery music.generation.succeeded #1 comes twice, the second after the first was answered`. */
export function wordsOf({ step, deviation }: Entry): string {
  const row = DEVIATIONS.find(
    (each) =>
      each.name === deviation && (step.startsWith('delivery') === each.at.includes('delivery') || each.at.length > 3),
  );
  return `${step} ${row?.words ?? deviation}`;
}

export function entryKey({ step, deviation }: Entry): string {
  return `${deviation} at ${step}`;
}

/** Whether a text is what a pattern means, in which `*` is any text. */
export function matches(pattern: string, name: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) return name === pattern;
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  const end = name.length - last.length;
  let at = first.length;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
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

/** The steps of a plain run as they are under a schedule's outcome: what failed is announced as failed. */
export function underOutcome(steps: readonly Step[], schedule: Schedule): Step[] {
  const failing = schedule.filter(isOutcome);
  if (failing.length === 0) return [...steps];
  const counts = new Map<string, number>();
  const named = steps.map((step) => {
    if (step.kind !== 'delivery') return step;
    const base = step.name.replace(/^(delivery \S+) #\d+/, '$1');
    const type = failing.some((entry) => isAnnouncedBy(entry, step)) ? base.replace('.succeeded', '.failed') : base;
    const n = (counts.get(type) ?? 0) + 1;
    counts.set(type, n);
    return { ...step, name: type.replace(/^(delivery \S+)/, `$1 #${n}`) };
  });
  return named.filter((step) => !isGone(step, failing));
}

function isAnnouncedBy({ step, deviation }: Entry, { about, match }: Step): boolean {
  const take = takeOf(deviation);
  return about.includes(step) && (take === undefined || Number(take) === match.take);
}

/** The file of an order without one is never read. */
function isGone({ kind, about }: Step, failing: Schedule): boolean {
  // `job music #1 take 2` where that take alone fails.
  const units = failing.map(({ step, deviation }) => [step, takeOf(deviation)].filter(Boolean).join(' take '));
  return kind === 'cdn' && units.some((unit) => about.includes(unit));
}

/** The number of the take that a deviation fails. */
export function takeOf(deviation: string): string | undefined {
  return /^take_fails:(\d+)$/.exec(deviation)?.[1];
}

/** All steps that are known: those of the plain run, under each outcome, and those that deviations brought about. */
export class StepRegistry {
  readonly plain: readonly Step[];
  readonly #atStart: readonly RequestRow[];
  readonly #brought = new Map<string, Step>();
  readonly #books = new Map<string, Map<string, Step>>();

  /** `atStart`: what an app asks before its story begins. */
  constructor(plain: readonly Step[], atStart: readonly RequestRow[] = []) {
    this.plain = plain;
    this.#atStart = atStart;
  }

  /** The steps that a schedule of this outcome may name. */
  book(schedule: Schedule): StepBook {
    const outcome = outcomeOf(schedule);
    const known = this.#books.get(outcome);
    if (known) return known;
    const steps = [...this.#brought.values(), ...this.plain, ...underOutcome(this.plain, schedule)];
    const book = new Map(bookOf(steps));
    this.#books.set(outcome, book);
    return book;
  }

  /** Keeps what a run brought about; answers the names that it knew before. */
  learn(schedule: Schedule, steps: readonly Step[]): ReadonlySet<string> {
    const known = new Set(this.book(schedule).keys());
    for (const step of steps) {
      if (known.has(step.name)) continue;
      this.#brought.set(step.name, step);
      for (const book of this.#books.values()) if (!book.has(step.name)) book.set(step.name, step);
    }
    return known;
  }

  /** Entries with their steps. An outcome's is that of the plain run; what no run has had is left out. */
  bind(schedule: Schedule): Bound[] {
    const book = this.book(schedule);
    const plain = this.book([]);
    return schedule.flatMap((entry) => {
      const step = (isOutcome(entry) ? plain : book).get(entry.step);
      return step ? [{ entry, step }] : [];
    });
  }

  /** The tests at whose steps it is. */
  unitsOf(schedule: Schedule): string[] {
    return this.bind(schedule).flatMap(({ step }) => step.site?.unit ?? []);
  }

  /** What a run of the schedule is to be. */
  order(schedule: Schedule): { bounds: Bound[]; fromStart: boolean } {
    const bounds = this.bind(schedule);
    const fromStart = bounds.some(({ step }) => this.#atStart.some((request) => isMeant(step.match, request)));
    return { bounds, fromStart };
  }

  /** The first entry at a step that no run has had. */
  unknown(schedule: Schedule): Entry | undefined {
    const bound = new Set(this.bind(schedule).map(({ entry }) => entry));
    return schedule.find((entry) => !bound.has(entry));
  }
}
