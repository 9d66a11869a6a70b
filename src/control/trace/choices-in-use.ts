import type { Choice } from '../../base/package/choice-table.ts';
import { SERVICE } from '../../service/api/routes.ts';
import type { RecordedExchange, RecordedRun } from './recorded-run.ts';

/** A choice of the emulator that a run has met. */
export interface ChoiceInUse extends Choice {
  in_use: {
    /** Requests and events that have met it. */
    times: number;
    /** By what of it: codes of errors, fields, events; and in which operations. */
    by: string[];
    operations: string[];
  };
}

/** What one request, or one event, has to do with the service. */
interface Meeting {
  isEvent?: true;
  /** Undefined of a path that is no operation's. */
  operation?: string | undefined;
  names: ReadonlySet<string>;
}

/**
 * The choices that a run makes use of: those whose code, field or event it has met, the most often met first; then those that
 * concern its operations as a whole. What concerns every operation in the same way is left out, unless a code or a field
 * of it was met.
 */
export function choicesInUse(choices: readonly Choice[], { exchanges, events }: RecordedRun): ChoiceInUse[] {
  const meetings = [...exchanges.map(meetingOf), ...events.map(eventMeeting)];
  return choices
    .flatMap((choice) => inUse(choice, meetings) ?? [])
    .toSorted((a, b) => Number(isNamed(b)) - Number(isNamed(a)) || b.in_use.times - a.in_use.times);
}

function isNamed({ in_use: use }: ChoiceInUse): boolean {
  return use.by.length > 0;
}

function inUse(choice: Choice, meetings: readonly Meeting[]): ChoiceInUse | undefined {
  const { operations, fields, codes, events } = choice.touches;
  const names = [...fields, ...codes, ...events];
  const isAll = operations.includes('*') || operations.length === 0;
  if (names.length === 0 && isAll) return undefined;
  const met = meetings.filter((each) => hasMet(choice, each, isAll));
  if (met.length === 0) return undefined;
  const by = names.filter((name) => met.some((each) => each.names.has(name)));
  const inside = new Set(met.flatMap(({ operation }) => operation ?? []));
  return { ...choice, in_use: { times: met.length, by, operations: [...inside].toSorted() } };
}

/** A choice about a refusal is met by a request that is refused so, and not by one that has the field. */
function hasMet({ touches }: Choice, { isEvent, operation = '', names }: Meeting, isAll: boolean): boolean {
  const { operations, fields, codes, events } = touches;
  const any = (wanted: readonly string[]) => wanted.some((name) => names.has(name));
  if (isEvent) return any(events);
  if (!isAll && !operations.includes(operation)) return false;
  if (codes.length + fields.length === 0) return !isAll;
  return [codes, fields].every((wanted) => wanted.length === 0 || any(wanted));
}

/** A body may be cut, or be the events of a stream, neither of which is JSON to be parsed: names are found by their form. */
const FIELD = /(?<!\\)"([A-Za-z_]\w{0,63})"\s*:/g;
/** Names of the fields of a form. */
const FORM_FIELD = /\bname="([^"]{1,64})"/g;
const CODE = /(?<!\\)"code"\s*:\s*"(\w{1,64})"/g;
const PARAM = /(?<!\\)"param"\s*:\s*"([\w.]{1,200})"/g;

function meetingOf(exchange: RecordedExchange): Meeting {
  const { path, request, answer } = exchange;
  const query = new URLSearchParams(path.split('?')[1] ?? '').keys();
  const names = [
    ...query,
    ...fieldsIn(request),
    ...found(request, FORM_FIELD),
    ...fieldsIn(answer),
    ...found(answer, CODE),
    ...found(answer, PARAM).flatMap((path) => path.split('.')),
  ];
  return { operation: operationOf(exchange), names: new Set(names) };
}

function eventMeeting(type: string): Meeting {
  return { isEvent: true, names: new Set([type]) };
}

/** Names of the fields in JSON, whole or cut, or in the events of a stream. */
export function fieldsIn(text: string): string[] {
  return found(text, FIELD);
}

function found(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name = '']) => name);
}

export function operationOf({ method, path, operation }: RecordedExchange): string | undefined {
  const [where = ''] = path.split('?');
  const served = SERVICE.find((each) => each.method === method && patternOf(each.path).test(where));
  return operation ?? served?.name;
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}/?$`);
}
