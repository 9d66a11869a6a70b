import type { RequestRow } from '../runner/run-record.ts';
import { FAULTS, type Fault, faultAt } from './fault-table.ts';
import { matchesRequest, type Step } from './step.ts';

export interface ScenarioEntry {
  step: string;
  fault: string;
}

export interface Bound {
  entry: ScenarioEntry;
  step: Step;
}

/** The empty scenario is the baseline run. */
export type Scenario = readonly ScenarioEntry[];

export type StepBook = ReadonlyMap<string, Step>;

export function bookOf(steps: readonly Step[]): StepBook {
  return new Map(steps.map((step) => [step.name, step]));
}

const OUTCOMES = new Set(FAULTS.filter(({ isOutcome }) => isOutcome).map(({ name }) => name));

export function isOutcome({ fault }: ScenarioEntry): boolean {
  return OUTCOMES.has(fault);
}

export function sizeOf(scenario: Scenario): number {
  return scenario.filter((entry) => !isOutcome(entry)).length;
}

/** Runs are compared only with runs of the same outcome. */
export function outcomeOf(scenario: Scenario): string {
  return keyOf(scenario.filter(isOutcome));
}

export function keyOf(scenario: Scenario): string {
  return scenario.map(entryKey).sort().join(' + ');
}

/** A scenario in a line: `lost_response at POST /v1/chat/completions #1`. */
export function titleOf(scenario: Scenario): string {
  return scenario.map(entryKey).join(' and ');
}

/** A scenario in words: `delivery music.generation.succeeded #1 arrives twice, the second after the response to the first`. */
export function wordsOf({ step, fault }: ScenarioEntry): string {
  const row = FAULTS.find(
    (each) =>
      each.name === fault && (step.startsWith('delivery') === each.at.includes('delivery') || each.at.length > 3),
  );
  return `${step} ${row?.words ?? fault}`;
}

export function entryKey({ step, fault }: ScenarioEntry): string {
  return `${fault} at ${step}`;
}

/** `*` in a pattern is any text. */
export function matchesPattern(pattern: string, name: string): boolean {
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

export function faultOf(entry: ScenarioEntry, book: StepBook): Fault | undefined {
  const step = book.get(entry.step);
  return step && faultAt(step, entry.fault);
}

export function isAllowed(scenario: Scenario, book: StepBook): boolean {
  const sites = scenario.map((entry) => `${isOutcome(entry) ? 'outcome' : 'fault'} ${entry.step}`);
  if (new Set(sites).size < sites.length) return false;
  return scenario.every((entry) => faultOf(entry, book) !== undefined);
}

/** The steps of a baseline run under the outcome of a scenario: a failed job announces a failure. */
export function underOutcome(steps: readonly Step[], scenario: Scenario): Step[] {
  const failing = scenario.filter(isOutcome);
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

function isAnnouncedBy({ step, fault }: ScenarioEntry, { about, match }: Step): boolean {
  const take = takeOf(fault);
  return about.includes(step) && (take === undefined || Number(take) === match.take);
}

/** The file of a failed order is never read. */
function isGone({ kind, about }: Step, failing: Scenario): boolean {
  const failed = failing.map(({ step, fault }) => [step, takeOf(fault)].filter(Boolean).join(' take '));
  return kind === 'cdn' && failed.some((each) => about.includes(each));
}

export function takeOf(fault: string): string | undefined {
  return /^take_fails:(\d+)$/.exec(fault)?.[1];
}

/** Known steps: those of the baseline run under each outcome, and those that faults caused. */
export class StepRegistry {
  readonly plain: readonly Step[];
  readonly #atStart: readonly RequestRow[];
  readonly #brought = new Map<string, Step>();
  readonly #books = new Map<string, Map<string, Step>>();

  constructor(plain: readonly Step[], atStart: readonly RequestRow[] = []) {
    this.plain = plain;
    this.#atStart = atStart;
  }

  book(scenario: Scenario): StepBook {
    const outcome = outcomeOf(scenario);
    const known = this.#books.get(outcome);
    if (known) return known;
    const steps = [...this.#brought.values(), ...this.plain, ...underOutcome(this.plain, scenario)];
    const book = new Map(bookOf(steps));
    this.#books.set(outcome, book);
    return book;
  }

  learn(scenario: Scenario, steps: readonly Step[]): ReadonlySet<string> {
    const known = new Set(this.book(scenario).keys());
    for (const step of steps) {
      if (known.has(step.name)) continue;
      this.#brought.set(step.name, step);
      for (const book of this.#books.values()) if (!book.has(step.name)) book.set(step.name, step);
    }
    return known;
  }

  bind(scenario: Scenario): Bound[] {
    const book = this.book(scenario);
    const plain = this.book([]);
    return scenario.flatMap((entry) => {
      const step = (isOutcome(entry) ? plain : book).get(entry.step);
      return step ? [{ entry, step }] : [];
    });
  }

  testsOf(scenario: Scenario): string[] {
    return this.bind(scenario).flatMap(({ step }) => step.test ?? []);
  }

  order(scenario: Scenario): { bounds: Bound[]; fromStart: boolean } {
    const bounds = this.bind(scenario);
    const fromStart = bounds.some(({ step }) => this.#atStart.some((request) => matchesRequest(step.match, request)));
    return { bounds, fromStart };
  }

  unknown(scenario: Scenario): ScenarioEntry | undefined {
    const bound = new Set(this.bind(scenario).map(({ entry }) => entry));
    return scenario.find((entry) => !bound.has(entry));
  }
}
