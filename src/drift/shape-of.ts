import { redact } from '../journal/redaction.ts';
import type { AnswerShape, FieldShape, TYPES } from './shapes.ts';

type TypeName = (typeof TYPES)[number];

/** An answer as it came; `json` is undefined for what is not JSON. */
export interface ReceivedAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  bytes: Buffer;
  json: unknown;
}

/** Headers that the interface documents, beside the content type. */
const HEADERS = [
  ...['x-request-id', 'www-authenticate', 'allow', 'retry-after'],
  ...['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'],
];

/** Fields whose values are closed words. */
const WORDS = new Set([
  ...['status', 'finish_reason', 'code', 'type', 'object', 'param', 'role', 'kind', 'content_type'],
  ...['deleted', 'ok', 'enabled', 'instrumental'],
]);

/** Fields that may be whole by chance. */
const FRACTIONS = new Set(['duration']);

/** The shape of an answer, without what only its sender knows. */
export function shapeOf({ status, headers, bytes, json }: ReceivedAnswer): AnswerShape {
  const media = mediaType(headers['content-type']);
  const body = json ?? (media === 'text/event-stream' ? streamed(bytes) : undefined);
  return { status, media, headers: headerForms(headers), fields: fieldsOf(body), facts: [] };
}

/** Without parameters and in small letters. */
export function mediaType(header = ''): string {
  const [type = ''] = header.split(';');
  return type.trim().toLowerCase();
}

function headerForms(headers: ReceivedAnswer['headers']): Record<string, string> {
  const found = HEADERS.flatMap((name) => {
    const value = headers[name];
    if (value === undefined) return [];
    // A word such as Bearer, and no realm.
    if (name === 'www-authenticate') return [[name, closedWord(value.split(' ', 1)[0] ?? '') ?? 'text']];
    return [[name, /^\d+$/.test(value) ? 'integer' : (idForm(value) ?? 'text')]];
  });
  return Object.fromEntries(found);
}

/** The data of a stream as one list of chunks. */
export function streamed(bytes: Buffer): { chunks: unknown[]; end: string } {
  const data = bytes
    .toString()
    .split(/\r?\n/)
    .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []));
  const chunks = data.flatMap((text) => (text === '[DONE]' ? [] : [parsed(text)]));
  return { chunks, end: data.at(-1) === '[DONE]' ? 'with [DONE]' : 'without [DONE]' };
}

/** Undefined for what is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What is gathered of a field while a body is read. */
interface Gathered {
  types: Set<TypeName>;
  forms: Set<string>;
  words: Set<string>;
  seen: number;
  /** The path of what could have it. */
  parent: string;
}

/** How deep a body is read: the service nests half as deep. */
const DEEPEST = 12;
/** Fields of a body; what has more maps data. */
const MOST_FIELDS = 400;

/** The fields of a body by their paths; that of the body itself is empty. */
export function fieldsOf(body: unknown): Record<string, FieldShape> {
  const gathered = new Map<string, Gathered>();
  const objects = new Map<string, number>();
  gather({ gathered, objects }, body, { path: '', parent: '', depth: 0 });
  const fields = [...gathered].map(([path, { types, forms, words, seen, parent }]) => [
    path,
    {
      types: [...types].toSorted(),
      always: path === '' || seen >= (objects.get(parent) ?? 0),
      ...(forms.size > 0 && { forms: [...forms].toSorted() }),
      ...(words.size > 0 && { words: [...words].toSorted() }),
    },
  ]);
  return Object.fromEntries(fields);
}

interface Gathering {
  gathered: Map<string, Gathered>;
  /** How many objects there were at a path. */
  objects: Map<string, number>;
}

interface Position {
  path: string;
  parent: string;
  depth: number;
}

function gather(into: Gathering, value: unknown, { path, parent, depth }: Position): void {
  if (value === undefined || depth > DEEPEST || into.gathered.size >= MOST_FIELDS) return;
  const name = path.split('.').at(-1) ?? '';
  const row = into.gathered.get(path) ?? { types: new Set(), forms: new Set(), words: new Set(), seen: 0, parent };
  into.gathered.set(path, row);
  row.seen += 1;
  row.types.add(typeOf(name, value));
  const form = formOf(name, value);
  if (form !== undefined) row.forms.add(form);
  const word = WORDS.has(name) ? closedWord(String(value)) : undefined;
  if (word !== undefined && typeof value !== 'object') row.words.add(word);
  if (Array.isArray(value)) gatherItems(into, value, { path, depth });
  else if (typeof value === 'object' && value !== null) gatherFields(into, value, { path, depth });
}

type Inside = Omit<Position, 'parent'>;

function gatherItems(into: Gathering, items: readonly unknown[], { path, depth }: Inside): void {
  // Items are no fields: of an empty list there is none, and that is no difference.
  for (const item of items) gather(into, item, { path: joined(path, '*'), parent: '', depth: depth + 1 });
}

function gatherFields(into: Gathering, value: object, { path, depth }: Inside): void {
  into.objects.set(path, (into.objects.get(path) ?? 0) + 1);
  for (const [name, each] of Object.entries(value)) {
    gather(into, each, { path: joined(path, fieldName(name)), parent: path, depth: depth + 1 });
  }
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** A name that could be somebody's is none of the interface. */
function fieldName(name: string): string {
  return /^[A-Za-z_$][\w$-]{0,39}$/.test(name) && !isSecretLike(name) ? name : '?';
}

function typeOf(name: string, value: unknown): TypeName {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) && !FRACTIONS.has(name) ? 'integer' : 'number';
  return typeof value === 'boolean' || typeof value === 'string' ? (typeof value as 'boolean' | 'string') : 'object';
}

const TIME_NAME = /^(?:created|completed|updated|expires|started|finished|timestamp)$|(?:_at|At)$/;
const ID_NAME = /^id$|(?:_id|Id)$/;

/** Of a text that a recording names by its length alone. */
export const NOT_RECORDED = 'not recorded';

/** What a text may be, the first that fits. */
const TEXT_FORMS: readonly [form: string, fits: (text: string) => boolean][] = [
  ['empty', (text) => text === ''],
  [NOT_RECORDED, (text) => /^… \[\d{1,12} characters\]$/.test(text)],
  ['ISO time', (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z$/.test(text)],
  ['local time', (text) => /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text)],
  ['signed URL', isSigned],
  ['URL', (text) => /^https?:\/\//.test(text)],
  ['data URL', (text) => text.startsWith('data:')],
  ['base64', (text) => text.length >= 64 && /^[A-Za-z0-9+/]+=*$/.test(text)],
];

function formOf(name: string, value: unknown): string | undefined {
  if (typeof value === 'number') return TIME_NAME.test(name) ? timeForm(value) : undefined;
  if (typeof value !== 'string') return undefined;
  if (ID_NAME.test(name) || name === 'secret') return idForm(value) ?? 'text';
  if (/^[0-9a-f]{16,}$/i.test(value)) return `hex ${value.length}`;
  return TEXT_FORMS.find(([, fits]) => fits(value))?.[0];
}

function timeForm(value: number): string {
  if (value > 1e9 && value < 1e10) return 'unix seconds';
  return value > 1e12 && value < 1e13 ? 'unix milliseconds' : 'number';
}

/** A prefix and what is drawn: digits among letters, or, of a secret, more base64 than a word has letters. */
const ID = /^([a-z]{2,12}_)(?:sample|…|(?=[a-z]*\d)[0-9A-Za-z]{6}|[0-9A-Za-z+/-]{16,}=*$)/i;

function idForm(value: string): string | undefined {
  const [, prefix] = ID.exec(value) ?? [];
  return prefix === undefined ? undefined : `id ${prefix}`;
}

/** Whether a text is a URL whose query holds a signature. */
function isSigned(text: string): boolean {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return false;
  return [...new URL(text).searchParams.keys()].some((name) => /sig|token|hmac|policy/i.test(name));
}

/** A word as an interface has them; undefined for anything that could be somebody's. */
export function closedWord(text: string): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9]*(?:[._/+-][A-Za-z0-9]+)*$/.test(text) || text.length > 40) return undefined;
  return isSecretLike(text) ? undefined : text;
}

/** Keys, and what mixes letters and digits for long. */
function isSecretLike(text: string): boolean {
  if (redact(text) !== text) return true;
  return text.split(/[._/+-]/).some((part) => part.length >= 10 && /\d/.test(part) && /[a-z]/i.test(part));
}

/** Whether a word, whatever a service calls it, is that of a job that has come to its end; and of one that has failed. */
export function isFinalState(word: string): boolean {
  return hasFailed(word) || /^(?:succeeded|success|done|completed?|finished|ready)$/i.test(word);
}

export function hasFailed(word: string): boolean {
  return /^(?:failed|failure|error|cancell?ed|expired)$/i.test(word);
}
