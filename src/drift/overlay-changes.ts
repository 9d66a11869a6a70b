import { changedAt } from '../faults/lies/form.ts';
import { isJson, without } from '../faults/lies/lie.ts';
import type { OverlayChange, OverlayGiven } from '../faults/lies/overlay.ts';
import { PAGE_OF } from './case-facts.ts';
import type { Difference } from './compare.ts';
import { converted, madeValue, TIMES } from './made-value.ts';
import { isFinalState } from './shape-of.ts';
import type { AnswerShape, CaseShape, FieldShape } from './shapes.ts';

/** Both sides of a difference. */
export interface BothShapes {
  there: AnswerShape;
  here: AnswerShape;
  /** What is asked for has no effect there or here. */
  isRead: boolean;
}

/** How the emulator can answer as was measured; undefined where it cannot. */
export function imitationOf(difference: Difference, shapes: BothShapes): OverlayChange | undefined {
  const { what, path = '' } = difference;
  switch (what) {
    case 'status':
      return statusChange(shapes);
    case 'header':
      return headerChange(path, shapes);
    case 'field':
      return fieldChange(difference, shapes);
    case 'form':
      return timeChange(path, shapes);
    case 'word':
      return wordChange(path, wordPairs(shapes.there.fields[path], shapes.here.fields[path]));
    case 'states':
      return wordChange(path, statePairs(difference));
    case 'order':
      return path === 'chunks.*.usage' && difference.there === 'in no chunk' ? removal(path) : undefined;
    default:
      return undefined;
  }
}

/** What was refused is answered as another refusal, or, of a read, with a body of values that are made. */
function statusChange({ there, here, isRead }: BothShapes): OverlayChange | undefined {
  const { status } = there;
  if (here.status >= 400 === status >= 400) return { status };
  if (!isRead || status >= 300) return undefined;
  return { status, body: (_body, given) => madeValue(there.fields, '', given) };
}

function headerChange(name: string, { there }: BothShapes): OverlayChange | undefined {
  const form = there.headers[name];
  if (form === undefined) return { header: { name, value: undefined } };
  const value = form === 'integer' ? '60' : form.startsWith('id ') ? `${form.slice(3)}000000000000` : undefined;
  return value === undefined ? undefined : { header: { name, value } };
}

/** A path of a body as a whole is a dot. */
function fieldChange({ path = '', there: is }: Difference, { there }: BothShapes): OverlayChange | undefined {
  const size = PAGE_OF.exec(is ?? '')?.[1];
  if (size !== undefined) return pageChange(path, Number(size));
  if (is === 'absent') return removal(path);
  const at = path === '.' ? '' : path;
  const theirs = there.fields[at];
  if (!theirs || is === 'sometimes') return undefined;
  const made = (was: unknown, given: OverlayGiven) => converted(was, theirs) ?? madeValue(there.fields, at, given);
  if (at === '') return { body: made };
  return inParent(at, (parent, name, given) => ({ ...parent, [name]: made(parent[name], given) }));
}

function pageChange(path: string, size: number): OverlayChange {
  const cut = (list: unknown) => (Array.isArray(list) && list.length > size ? list.slice(0, size) : undefined);
  return { body: (body) => changedAt(body, path.split('.'), cut) };
}

function removal(path: string): OverlayChange {
  return inParent(path, (parent, name) => (Object.hasOwn(parent, name) ? without(parent, [name]) : undefined));
}

type Parent = Record<string, unknown>;

/** A change of what has, or could have, a field. */
function inParent(
  path: string,
  change: (parent: Parent, name: string, given: OverlayGiven) => Parent | undefined,
): OverlayChange {
  const steps = path.split('.');
  const name = steps.pop() ?? '';
  return {
    body(body, given) {
      const inside = (parent: unknown) => (isJson(parent) ? change(parent, name, given) : undefined);
      return steps.length === 0 ? inside(body) : changedAt(body, steps, inside);
    },
  };
}

type Pairs = ReadonlyMap<string, string>;

function wordChange(path: string, pairs: Pairs): OverlayChange | undefined {
  if (pairs.size === 0) return undefined;
  const other = (word: unknown) => {
    const is = pairs.get(String(word));
    return typeof word === 'boolean' && is !== undefined ? is === 'true' : is;
  };
  return { body: (body) => changedAt(body, path.split('.'), other) };
}

/** Of two lists of words those that one side alone has, where there is one of each. */
function wordPairs(theirs: FieldShape | undefined, ours: FieldShape | undefined): Pairs {
  const [there = [], here = []] = [theirs?.words, ours?.words];
  const [own, other] = [here.filter((word) => !there.includes(word)), there.filter((word) => !here.includes(word))];
  return new Map(own.length === 1 && other.length === 1 ? [[String(own[0]), String(other[0])]] : []);
}

/** The states of a job in their order, and how the emulator calls them. Those in between may not have been seen. */
const STATES = ['queued', 'processing', 'succeeded'];

function statePairs({ there = '' }: Difference): Pairs {
  const theirs = there.split(' > ');
  const own = STATES.filter((state) => !theirs.includes(state)).toReversed();
  const others = theirs.filter((state) => !STATES.includes(state)).toReversed();
  const isEnded = isFinalState(theirs.at(-1) ?? '') && theirs.at(-1) !== 'failed';
  if (!isEnded || others.length > own.length) return new Map();
  return new Map(others.map((state, at) => [own[at] ?? '', state]));
}

function timeChange(path: string, { there, here }: BothShapes): OverlayChange | undefined {
  const [theirs = ''] = there.fields[path]?.forms ?? [];
  const [ours = ''] = here.fields[path]?.forms ?? [];
  const written = Object.hasOwn(TIMES, theirs) && Object.hasOwn(TIMES, ours) ? TIMES[theirs] : undefined;
  if (!written) return undefined;
  const read = (time: unknown) => (typeof time === 'number' && ours === 'unix seconds' ? time * 1000 : time);
  const other = (time: unknown) => {
    const milliseconds = new Date(read(time) as string | number).getTime();
    return Number.isNaN(milliseconds) || time === null ? undefined : written(milliseconds);
  };
  return { body: (body) => changedAt(body, path.split('.'), other) };
}

const IN_EVENTS = 'events.*.';

/** The type of the event that a sample is of. */
export function eventOf({ operation, id }: CaseShape, { status }: AnswerShape): string | undefined {
  if (operation !== 'sampleWebhooks' || status >= 300) return undefined;
  const name = id.split(' ').at(-1) ?? '';
  return name === 'take' ? 'music.generation.succeeded' : name;
}

/** A difference of samples as one of the event itself. */
export function inEvent({ path: at = '', ...difference }: Difference, event: string | undefined): Difference {
  const isInside = event !== undefined && at.startsWith(IN_EVENTS);
  return { ...difference, path: isInside ? at.slice(IN_EVENTS.length) : at };
}

/** The same of shapes. */
export function inEvents({ there, here, isRead }: BothShapes): BothShapes {
  const inside = (shape: AnswerShape): AnswerShape => {
    const fields = Object.entries(shape.fields).filter(([at]) => at.startsWith(IN_EVENTS));
    return { ...shape, fields: Object.fromEntries(fields.map(([at, field]) => [at.slice(IN_EVENTS.length), field])) };
  };
  return { there: inside(there), here: inside(here), isRead };
}
