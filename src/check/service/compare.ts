import { type DocumentedField, documentedFields } from '../../control/openapi/known-words.ts';
import { fieldsIn, operationOf, type RecordedRun } from '../../control/recorded-run.ts';
import {
  type AnswerShape,
  type CaseShape,
  type Fact,
  type FieldShape,
  isFinalState,
  NOT_RECORDED,
  type What,
} from './shapes.ts';

/** One difference between two answers, in types, forms and closed words. */
export interface Difference {
  what: What;
  path?: string;
  there?: string;
  here?: string;
}

/** What of an answer is the same word in every account at every time. */
const FIXED = /(?:^|\.)(?:object|role|type|code|param|deleted|ok|enabled|content_type)$/;
/** Whose content types are those of anybody's files. */
const ANY_CONTENT = ['listObjects', 'uploadObject'];
/** What an item of somebody's list may be or not be, without the interface being another one. */
const NAMED_BY_OTHERS = ['listModels'];

/** What differs between two shapes of one case: `there` of the service, `here` of the emulator. */
export function differencesOf({ operation, shape: there }: CaseShape, here: AnswerShape): Difference[] {
  if (!there) return [];
  const status = there.status === here.status ? [] : [differing('status', 'status', [there.status, here.status])];
  // Answers of two kinds have no field in common.
  const isOtherKind = there.status < 300 !== here.status < 300;
  if (isOtherKind) return status;
  const media = there.media === here.media ? [] : [differing('type', 'content-type', [there.media, here.media])];
  const fields = media.length > 0 ? [] : fieldDifferences(operation, there, here);
  // Of another body nothing else can be found.
  const facts = fields[0]?.path === WHOLE ? [] : factDifferences(there.facts, here.facts);
  const all = [...status, ...media, ...headerDifferences(there, here), ...fields, ...facts];
  // The sequence of states has the last one in it.
  const isInStates = ({ what, path }: Difference) =>
    what === 'word' && facts.some((fact) => fact.what === 'states' && fact.path === path);
  return all.filter((each) => !isInStates(each));
}

function differing(what: What, path: string, [there, here]: readonly [unknown, unknown]): Difference {
  return { what, path, there: String(there ?? 'absent'), here: String(here ?? 'absent') };
}

function headerDifferences(there: AnswerShape, here: AnswerShape): Difference[] {
  const names = [...new Set([...Object.keys(here.headers), ...Object.keys(there.headers)])];
  return names
    .filter((name) => ownOf(there.headers, name) !== ownOf(here.headers, name))
    .map((name) => differing('header', name, [ownOf(there.headers, name), ownOf(here.headers, name)]));
}

/** A name may be one that every object has, such as `constructor`. */
function ownOf<Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** The path of a body as a whole. */
const WHOLE = '.';

function fieldDifferences(operation: string, there: AnswerShape, here: AnswerShape): Difference[] {
  const [theirs, ours] = [there.fields[''], here.fields['']];
  const [root] = theirs || ours ? fieldDifference({ operation, path: '', theirs, ours }) : [];
  if (root) return [{ ...root, path: WHOLE }];
  const documented = documentedFields(operation, here.status, here.media);
  const found: Difference[] = [];
  for (const path of new Set([...Object.keys(here.fields), ...Object.keys(there.fields)])) {
    // What is missing or of another type is so as a whole.
    if (found.some((each) => each.path !== undefined && path.startsWith(`${each.path}.`))) continue;
    const [theirs, ours] = [ownOf(there.fields, path), ownOf(here.fields, path)];
    const known = documented.get(path);
    if (!theirs && !couldBe(path, there.fields)) continue;
    if (!ours && !couldBe(path, here.fields) && !known) continue;
    // A job that is not final has not yet what the final one has.
    if (!theirs && known?.optional && isOpen(there)) continue;
    found.push(...fieldDifference({ operation, path, theirs, ours, known }));
  }
  return found;
}

/** Whether a record is of a job that goes on. */
function isOpen({ fields }: AnswerShape): boolean {
  const words = fields.status?.words ?? [];
  return words.length > 0 && !words.some(isFinalState);
}

/** Whether there was anything that could have had a field. */
function couldBe(path: string, fields: AnswerShape['fields']): boolean {
  if (path === '') return true;
  const parent = path.split('.').slice(0, -1).join('.');
  return ownOf(fields, parent)?.types.some((type) => type === 'object') ?? false;
}

/** A field at one path of both sides, as far as they have it. */
interface Sides {
  operation: string;
  path: string;
  theirs: FieldShape | undefined;
  ours: FieldShape | undefined;
  known?: DocumentedField | undefined;
}

function fieldDifference(sides: Sides): Difference[] {
  const { path, theirs, ours, known } = sides;
  if (!theirs) return known?.optional && !ours?.always ? [] : [differing('field', path, [undefined, typesOf(ours)])];
  if (!ours && !known) return [differing('field', path, [typesOf(theirs), undefined])];
  if (ours?.always && !theirs.always) return [differing('field', path, ['sometimes', 'always'])];
  const types = new Set([...(ours?.types ?? []), ...(known?.types ?? [])]);
  if (theirs.types.some((type) => !types.has(type) && !(type === 'integer' && types.has('number')))) {
    return [differing('field', path, [typesOf(theirs), [...types].toSorted().join(' or ')])];
  }
  return ours ? [...formDifference(sides, theirs, ours), ...wordDifference(sides, theirs, ours)] : [];
}

function typesOf(field: FieldShape | undefined): string | undefined {
  return field?.types.join(' or ');
}

function formDifference({ operation, path }: Sides, theirs: FieldShape, ours: FieldShape): Difference[] {
  const [forms, known] = [theirs.forms ?? [], ours.forms ?? []];
  if (NAMED_BY_OTHERS.includes(operation) || forms.includes(NOT_RECORDED)) return [];
  const isSame = forms.every((form) => known.includes(form)) && (known.length === 0 || forms.length > 0);
  // Null has no form.
  if (isSame || !ours.types.some((type) => theirs.types.includes(type) && type !== 'null')) return [];
  return [differing('form', path, [forms.join(' or ') || 'text', known.join(' or ') || 'text'])];
}

function wordDifference({ operation, path, known }: Sides, theirs: FieldShape, ours: FieldShape): Difference[] {
  const own = ours.words ?? [];
  if (path.endsWith('content_type') && ANY_CONTENT.includes(operation)) return [];
  const allowed = FIXED.test(path) && own.length > 0 ? own : [...own, ...(known?.words ?? [])];
  const others = (theirs.words ?? []).filter((word) => !allowed.includes(word));
  if (others.length === 0 || allowed.length === 0) return [];
  return [differing('word', path, [others.join(', '), allowed.join(', ')])];
}

function factDifferences(there: readonly Fact[], here: readonly Fact[]): Difference[] {
  return here.flatMap(({ what, path, is }) => {
    const subject = subjectOf({ what, path, is });
    const theirs = there.find((fact) => subjectOf(fact) === subject);
    if (!theirs || theirs.is === is || (what === 'states' && isPartOf(theirs.is, STATES))) return [];
    return [differing(what, path, [theirs.is, is])];
  });
}

/** Of media the first word says what of them a fact is about. */
function subjectOf({ what, path, is }: Fact): string {
  return what === 'media' ? `${what} ${path} ${is.split(' ', 1)}` : `${what} ${path}`;
}

const STATES = ['queued', 'processing', 'succeeded', 'failed'];

/** Which of the states were seen is chance; their order is not. */
function isPartOf(sequence: string, whole: readonly string[]): boolean {
  const places = sequence.split(' > ').map((state) => whole.indexOf(state));
  return places.every((place, at) => place !== -1 && place > (places[at - 1] ?? -1));
}

/** Whether a client ever meets a difference of an operation. */
export type IsUsed = (difference: Difference & { operation: string }, isRefusal: boolean) => boolean;

/** What a client has met of an operation. */
interface Met {
  /** Names of fields in its answers. */
  names: Set<string>;
  /** Classes of statuses, such as 2 or 4. */
  classes: Set<number>;
}

/** Whether a client meets what a result is about: its operation, its field there, and such an answer. */
export function usedBy({ exchanges }: RecordedRun): IsUsed {
  const met = new Map<string, Met>();
  for (const exchange of exchanges) {
    const operation = operationOf(exchange) ?? '';
    const row = met.get(operation) ?? { names: new Set(), classes: new Set() };
    met.set(operation, row);
    row.classes.add(Math.floor(exchange.status / 100));
    for (const name of fieldsIn(exchange.answer)) row.names.add(name);
  }
  return ({ operation, what, path }, isRefusal) => {
    const row = met.get(operation);
    if (!row?.classes.has(isRefusal ? 4 : 2)) return false;
    if (what !== 'field' && what !== 'form' && what !== 'word') return true;
    // A field that is new has the names of those around it.
    const steps = (path ?? '').split('.').filter((step) => step !== '*');
    return steps.length < 2 || steps.slice(0, -1).every((step) => row.names.has(step));
  };
}
