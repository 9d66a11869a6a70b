import { asPage } from './content.ts';
import { type Actor, isJson, type Json, onBody, onError, without } from './violation.ts';

/** Fields that a named violation changes where it acts. */
const NAMED: readonly string[] = ['error.code', 'data.error'];

/** The dotted paths of all fields of a JSON value that no named violation is about; `*` stands for every index of an array. */
export function fieldsOf(value: unknown): string[] {
  const found = new Set<string>();
  collect(value, '', found);
  return [...found].filter((field) => !NAMED.includes(field));
}

function collect(value: unknown, at: string, found: Set<string>): void {
  if (Array.isArray(value)) for (const each of value) collect(each, `${at}*.`, found);
  else if (isJson(value)) {
    for (const [name, each] of Object.entries(value)) {
      found.add(at + name);
      collect(each, `${at}${name}.`, found);
    }
  }
}

const GONE = Symbol('gone');

/** A value with the fields at a dotted path changed, in which `*` is every index and a number one; undefined where nothing is. */
export function changedAt(value: unknown, path: readonly string[], change: (field: unknown) => unknown): unknown {
  const [name = '', ...rest] = path;
  if (Array.isArray(value)) {
    const next = value.map((each, at) =>
      name === '*' || name === String(at) ? changedAt(each, rest, change) : undefined,
    );
    return next.some((each) => each !== undefined) ? next.map((each, at) => each ?? value[at]) : undefined;
  }
  if (!isJson(value) || !Object.hasOwn(value, name)) return undefined;
  const next = rest.length === 0 ? change(value[name]) : changedAt(value[name], rest, change);
  if (next === GONE) return without(value, [name]);
  return next === undefined ? undefined : { ...value, [name]: next };
}

/** A violation about one field of answers, events and chunks. */
function onField(name: string, change: (field: unknown) => unknown): Actor {
  const changed = (value: unknown, field: string) =>
    isCovered(name, field) ? undefined : changedAt(value, field.split('.'), change);
  return {
    ...onBody((body, { field = '' }) => changed(body, field) as Json | undefined),
    stream(chunks, { field = '' }) {
      const next = chunks.map((chunk) => changed(chunk, field) as Json | undefined);
      return next.some(Boolean) ? next.map((chunk, at) => chunk ?? (chunks[at] as Json)) : undefined;
    },
    event: (envelope, { field = '' }) => changed(envelope, field) as typeof envelope | undefined,
  };
}

/** What another violation does already. */
function isCovered(violation: string, field: string): boolean {
  if (violation === 'field.missing') return field === 'usage' || /(?:^|\.)result_url$/.test(field);
  return violation === 'field.text' && field.startsWith('usage.');
}

/** As a template prints it. A text is one already. */
function asText(field: unknown): unknown {
  return typeof field === 'string' ? undefined : String(field);
}

function onStatus(from: number, to: number): Actor {
  return { answer: (answer) => (answer.status === from ? { ...answer, status: to } : undefined) };
}

const RETRY = 'retry-after';

/** Every field of these names, however deep. */
function changedDeep(value: unknown, change: (field: unknown, name: string) => unknown): unknown {
  if (Array.isArray(value)) {
    const next = value.map((each) => changedDeep(each, change));
    return next.some((each) => each !== undefined) ? next.map((each, at) => each ?? value[at]) : undefined;
  }
  if (!isJson(value)) return undefined;
  const next = Object.entries(value).map(
    ([name, field]) => [name, change(field, name) ?? changedDeep(field, change)] as const,
  );
  if (next.every(([, field]) => field === undefined)) return undefined;
  return Object.fromEntries(next.map(([name, field]) => [name, field ?? value[name]]));
}

/** A violation about fields of some kind in answers of all statuses, chunks and events. */
function onFields(change: (field: unknown, name: string) => unknown): Actor {
  return {
    answer(answer) {
      const body = changedDeep(answer.body, change);
      return body === undefined ? undefined : { ...answer, body };
    },
    stream(chunks) {
      return changedDeep(chunks, change) as readonly Json[] | undefined;
    },
    event: (envelope) => changedDeep(envelope, change) as typeof envelope | undefined,
  };
}

const UNIX = /^(?:created|completed|expires)$/;
const ISO = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** The lists of the service that come without their envelope or in another order, and the field of their items. */
const LISTS: Readonly<Record<string, string>> = { listObjects: 'data', listWebhooks: 'webhooks' };

function onList(change: (items: readonly unknown[], body: Json, name: string) => unknown): Actor {
  return {
    answer(answer, { operation = '' }) {
      const name = LISTS[operation];
      const items = name !== undefined && answer.status === 200 && isJson(answer.body) ? answer.body[name] : undefined;
      if (name === undefined || !Array.isArray(items)) return undefined;
      const body = change(items, answer.body as Json, name);
      return body === undefined ? undefined : { ...answer, body };
    },
  };
}

/** The violations of the family form. */
export const FORM: Readonly<Record<string, Actor>> = {
  'field.missing': onField('field.missing', () => GONE),
  'field.null': onField('field.null', (field) => (field === null ? undefined : null)),
  'field.text': onField('field.text', asText),
  'error.no_code': onError((answer, error) =>
    'code' in error ? { ...answer, body: { error: without(error, ['code']) } } : undefined,
  ),
  'error.text': onError((answer, { message }) => ({ ...answer, body: { error: message } })),
  'error.html': onError(asPage),
  'status.400_as_500': onStatus(400, 500),
  'status.404_as_200': onStatus(404, 200),
  'status.201_as_200': onStatus(201, 200),
  'blocked.renamed': onFields((field, name) =>
    name === 'code' && field === 'content_blocked' ? 'content_policy' : undefined,
  ),
  '429.bare': {
    answer(answer) {
      if (answer.status !== 429 || !(RETRY in answer.headers)) return undefined;
      const { [RETRY]: _retry, ...headers } = answer.headers;
      return { ...answer, headers };
    },
  },
  '429.date': {
    answer(answer, { now }) {
      const seconds = Number(answer.headers[RETRY] ?? Number.NaN);
      if (answer.status !== 429 || Number.isNaN(seconds)) return undefined;
      const date = new Date(now + seconds * 1000).toUTCString();
      return { ...answer, headers: { ...answer.headers, [RETRY]: date } };
    },
  },
  'time.ms': onFields((field, name) => (typeof field === 'number' && UNIX.test(name) ? field * 1000 : undefined)),
  'time.local': onFields((field) => (typeof field === 'string' && ISO.test(field) ? field.slice(0, -1) : undefined)),
  'list.bare': onList((items) => items),
  'list.oldest': onList((items, body, name) =>
    items.length > 1 ? { ...body, [name]: items.toReversed() } : undefined,
  ),
};
