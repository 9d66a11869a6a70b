import { allows, DEVIATIONS, type Deviation } from './deviation-table.ts';
import { deviationOf, type Entry, isAllowed, keyOf, type Schedule, type StepBook } from './schedule.ts';
import { numberIn, type Step, withoutNumber } from './step.ts';

/** Whether a schedule still fails in the same way. */
type StillFails = (schedule: Schedule) => Promise<boolean>;

/** Whether a search tries a deviation at a step: what it leaves out is no smaller form either. */
export type IsSought = (deviation: Deviation, step: Step) => boolean;

interface ShrinkOptions {
  book: StepBook;
  fails: StillFails;
  isSought: IsSought;
  /** How many smaller forms are run at most. */
  attempts?: number;
  /** How many of them at the same time: a story that waits in vain takes its time. */
  abreast?: number;
}

/**
 * The smallest form of a schedule that fails: no entry can be left out, none made milder, none moved to an earlier step
 * of the same name. After `attempts` tries the smallest so far is the answer, which does not depend on how
 * many are run abreast as long as it does not end.
 */
export async function shrink(
  failing: Schedule,
  { book, fails, isSought, attempts = 60, abreast = 1 }: ShrinkOptions,
): Promise<Schedule> {
  const tried = new Set([keyOf(failing)]);
  let best = failing;
  for (let left = attempts; left > 0; ) {
    const untried = smaller(best, book, isSought).filter((each) => !tried.has(keyOf(each)));
    const batch = untried.slice(0, Math.min(left, abreast));
    if (batch.length === 0) return best;
    left -= batch.length;
    const ends = await Promise.all(batch.map(fails));
    const first = ends.indexOf(true);
    // Those after the first were not asked for yet.
    for (const each of first === -1 ? batch : batch.slice(0, first + 1)) tried.add(keyOf(each));
    best = batch[first] ?? best;
  }
  return best;
}

/** Every form one step smaller, the most that is won first. */
export function smaller(schedule: Schedule, book: StepBook, isSought: IsSought): Schedule[] {
  const shorter = schedule.map((_, at) => schedule.toSpliced(at, 1));
  const changed = schedule.flatMap((entry, at) =>
    [...milderEntries(entry, book, isSought), ...earlierEntries(entry, book)].map((other) => schedule.with(at, other)),
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

function milderEntries(entry: Entry, book: StepBook, isSought: IsSought): Entry[] {
  const step = book.get(entry.step);
  const deviation = deviationOf(entry, book);
  if (!step || !deviation) return [];
  return milder(deviation, step)
    .filter((other) => isSought(other, step))
    .map(({ name }) => ({ ...entry, deviation: name }));
}

function earlierEntries(entry: Entry, book: StepBook): Entry[] {
  const name = withoutNumber(entry.step);
  const number = numberIn(entry.step);
  return [...book.keys()]
    .filter((each) => withoutNumber(each) === name && numberIn(each) < number)
    .sort((a, b) => numberIn(a) - numberIn(b))
    .map((step) => ({ ...entry, step }));
}

/** From mild to harsh within each family: a finding is reported with the mildest that still fails. */
const MILDNESS = [
  ...['status:429', 'status:503', 'status:500'],
  ...['lost_request', 'lost_answer'],
  ...['duplicate', 'resent', 'twin'],
  ...['reorder', 'late', 'lost'],
  ...['late', 'unpolled', 'instant'],
  ...['kill:before', 'kill:after', 'kill:during'],
  ...['cut:before_done', 'cut:middle', 'cut:first'],
  ...['spelled', 'two_proofs', 'replayed', 'forged'],
  ...['expired', 'truncated', 'status:503'],
  ...['take_fails:2', 'take_fails:1', 'fails', 'blocked'],
  ...['unknown_type', 'foreign'],
];

/** Milder ones of the same family that the step allows, the mildest first. */
export function milder(deviation: Deviation, step: Step): Deviation[] {
  const order = (each: Deviation) => MILDNESS.indexOf(each.name);
  return DEVIATIONS.filter((each) => each.family === deviation.family && allows(each, step))
    .filter((each) => order(each) !== -1 && order(each) < order(deviation))
    .sort((a, b) => order(a) - order(b));
}
