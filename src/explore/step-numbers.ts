import { createHash } from 'node:crypto';
import { DEVIATIONS } from './deviation-table.ts';
import type { RequestRow } from '../runs/run-record.ts';
import { type Entry, isOutcome, type Schedule } from './schedule.ts';
import type { Step } from './step.ts';

/** What of one name was sent in the first plain run, in its order. */
export type Numbering = ReadonlyMap<string, readonly string[]>;

const ID = /\b[a-z]{2,5}_[0-9a-f]{12,}\b/g;

/** `POST /v1/storage/objects/{id}` of the path that was asked for. */
export function requestName({ method, path }: Pick<RequestRow, 'method' | 'path'>): string {
  const [plain = ''] = path.split('?');
  const named = plain.replace(ID, '{id}').replace(/^(\/hooks\/flows\/)[^/]+/, '$1{token}');
  return `${method} ${named}`;
}

/** Two requests with one mark ask for the same: ids and addresses of a run do not count. */
export function bodyMark({ request, path }: Pick<RequestRow, 'request' | 'path'>): string {
  const query = path.split('?')[1] ?? '';
  const text = `${request ?? ''} ${query}`.replace(ID, '{id}').replace(/https?:\/\/[^/"\s]+/g, '{origin}');
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/**
 * Numbers requests of one name by their bodies, as they came in the first plain run; what that run did not have takes a
 * number that it left free in its order, or one after all of them.
 */
export function numberMarks(marks: readonly string[], plain: readonly string[] = []): number[] {
  const free = new Set(plain.keys());
  const numbers: (number | undefined)[] = marks.map((mark) => {
    const at = [...free].find((place) => plain[place] === mark);
    if (at === undefined) return undefined;
    free.delete(at);
    return at + 1;
  });
  const left = [...free].map((at) => at + 1);
  let next = plain.length;
  return numbers.map((number) => {
    if (number !== undefined) return number;
    const open = left.shift();
    if (open !== undefined) return open;
    next += 1;
    return next;
  });
}

/** Every outcome in which one unit fails, as entries. */
export function singleOutcomes(steps: readonly Step[]): Entry[] {
  return steps.flatMap((step) =>
    DEVIATIONS.filter((each) => each.isOutcome && each.at.includes(step.kind) && (each.allows?.(step) ?? true)).map(
      ({ name }) => ({ step: step.name, deviation: name }),
    ),
  );
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
  if (!about.includes(step)) return false;
  const [, take] = /^take_fails:(\d+)$/.exec(deviation) ?? [];
  return take === undefined || Number(take) === match.take;
}

/** The file of an order without one is never read. */
function isGone({ kind, about }: Step, failing: Schedule): boolean {
  return kind === 'cdn' && failing.some(({ step, deviation }) => about.includes(unitOf(step, deviation)));
}

/** `job music #1 take 2` where that take alone fails. */
function unitOf(step: string, deviation: string): string {
  const [, take] = /^take_fails:(\d+)$/.exec(deviation) ?? [];
  return take === undefined ? step : `${step} take ${take}`;
}
