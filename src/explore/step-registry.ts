import type { RequestRow } from '../runs/run-record.ts';
import type { Bound } from '../runs/runner.ts';
import { type Entry, isOutcome, outcomeOf, type Schedule, type StepBook } from './schedule.ts';
import type { Step, StepMatch } from './step.ts';
import { underOutcome } from './step-numbers.ts';

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

/** The part of a path that belongs to one object: `job_…`. */
const OBJECT = /^[a-z]{2,5}_[0-9a-f]{12,}/;
const FLOWS = '/hooks/flows/';
/** Where a request says what it wants, in words that a rule can look for. */
const TEXTS = ['prompt', 'input', 'style', 'lyrics', 'title', 'name'];

/** What a rule has to look for to mean this one of all requests of a run. */
export function matchOf(request: RequestRow, requests: readonly RequestRow[]): StepMatch {
  const { method } = request;
  const path = prefixOf(request);
  const alike = requests.filter((each) => each.method === method && each.path.startsWith(path));
  const contains = ownText(request, alike);
  if (contains === undefined) return { method, path, nth: alike.indexOf(request) + 1 };
  const saying = alike.filter((each) => each.request?.includes(JSON.stringify(contains).slice(1, -1)));
  return { method, path, contains, nth: saying.indexOf(request) + 1 };
}

/** Whether a request is one of those that a match counts. */
export function isMeant({ method, path = '', contains = '' }: StepMatch, request: RequestRow): boolean {
  if (method !== undefined && request.method !== method) return false;
  return (
    request.path.startsWith(path) &&
    (contains === '' || (request.request?.includes(JSON.stringify(contains).slice(1, -1)) ?? false))
  );
}

function prefixOf({ path }: RequestRow): string {
  if (path.startsWith('/cdn/')) return '/cdn/';
  // The record never shows the token of a flow.
  if (path.startsWith(FLOWS)) return FLOWS;
  const parts = (path.split('?')[0] ?? '').split('/');
  return OBJECT.test(parts.at(-1) ?? '') ? `${parts.slice(0, -1).join('/')}/` : parts.join('/');
}

/** A text that requests with other bodies do not have: parallel ones come in any order. */
function ownText(request: RequestRow, alike: readonly RequestRow[]): string | undefined {
  const others = alike.filter((each) => each.request !== request.request);
  if (others.length === 0) return undefined;
  return textsOf(request).find((text) => !others.some((each) => textsOf(each).some((one) => one.includes(text))));
}

function textsOf({ request }: RequestRow): string[] {
  const body = parsed(request);
  const direct = TEXTS.map((name) => Reflect.get(body, name));
  const said = [Reflect.get(body, 'messages')].flat().map((each) => Object(each).content);
  return [...direct, ...said].filter((text): text is string => typeof text === 'string' && text.length > 2);
}

function parsed(text: string | null): object {
  try {
    return Object(JSON.parse(text ?? ''));
  } catch {
    return {};
  }
}
