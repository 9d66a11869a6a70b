import { milder } from './deviation-table.ts';
import { deviationOf, type Entry, isAllowed, keyOf, type Schedule, type StepBook } from './schedule.ts';
import { numberIn, withoutNumber } from './step.ts';

/** Whether a schedule still fails in the same way. */
export type StillFails = (schedule: Schedule) => Promise<boolean>;

/**
 * The smallest form of a schedule that fails: no entry can be left out, none made milder, none moved to an earlier step
 * of the same name. `patience` bounds how many runs that may take; what it has come to by then is the answer.
 */
export async function shrink(
  failing: Schedule,
  { book, fails, patience = 60 }: { book: StepBook; fails: StillFails; patience?: number },
): Promise<Schedule> {
  const tried = new Set([keyOf(failing)]);
  let best = failing;
  for (let left = patience; left > 0; ) {
    const next = smaller(best, book).find((each) => !tried.has(keyOf(each)));
    if (!next) return best;
    tried.add(keyOf(next));
    left -= 1;
    if (await fails(next)) best = next;
  }
  return best;
}

/** Every form one step smaller, the most that is won first. */
export function smaller(schedule: Schedule, book: StepBook): Schedule[] {
  const shorter = schedule.map((_, at) => schedule.toSpliced(at, 1));
  const changed = schedule.flatMap((entry, at) =>
    [...milderEntries(entry, book), ...earlierEntries(entry, book)].map((other) => schedule.with(at, other)),
  );
  return [...shorter, ...changed].filter((each) => each.length > 0 && isRunnable(each, book));
}

/** A step that only a deviation brings about is not in the book, and stays as it is. */
function isRunnable(schedule: Schedule, book: StepBook): boolean {
  return isAllowed(
    schedule.filter(({ step }) => book.has(step)),
    book,
  );
}

function milderEntries(entry: Entry, book: StepBook): Entry[] {
  const step = book.get(entry.step);
  const deviation = deviationOf(entry, book);
  if (!step || !deviation) return [];
  return milder(deviation, step).map(({ name }) => ({ ...entry, deviation: name }));
}

function earlierEntries(entry: Entry, book: StepBook): Entry[] {
  const name = withoutNumber(entry.step);
  const number = numberIn(entry.step);
  return [...book.keys()]
    .filter((each) => withoutNumber(each) === name && numberIn(each) < number)
    .sort((a, b) => numberIn(a) - numberIn(b))
    .map((step) => ({ ...entry, step }));
}
