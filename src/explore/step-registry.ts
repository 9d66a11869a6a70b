import { underOutcome } from './outcome-steps.ts';
import type { RequestRow } from './run-record.ts';
import type { Bound } from './runner.ts';
import { type Entry, isOutcome, outcomeOf, type Schedule, type StepBook } from './schedule.ts';
import type { Step } from './step.ts';
import { isMeant } from './step-match.ts';

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
    const book = new Map(steps.map((step) => [step.name, step]));
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
