import { z } from 'zod';
import { VERSION } from '../../base/package/package-folder.ts';
import { parsedJson } from '../../base/text.ts';
import { COMPARED, isKnownWord, KNOWN, OtherWords } from '../../control/openapi/known-words.ts';

/** What can differ; a result of the report is about one of these. */
export const WHATS = [
  'status',
  'type',
  'header',
  'field',
  'form',
  'word',
  'order',
  'states',
  'events',
  'price',
  'signature',
  'media',
] as const;
export type What = (typeof WHATS)[number];

export const TYPES = ['string', 'integer', 'number', 'boolean', 'null', 'object', 'array'] as const;

/** A field of an answer: never a value, but for closed words such as those of `status`. */
const fieldShape = z.strictObject({
  types: z.array(z.enum(TYPES)),
  /** Whether every object that could have it has it. */
  always: z.boolean(),
  /** Such as `id evt_`, `ISO time`, `unix seconds`, `hex 64`, `signed URL`. */
  forms: z.array(z.string()).optional(),
  /** Of fields whose values are closed words. */
  words: z.array(z.string()).optional(),
});

/** Something that was found out beside fields, in words: an order, a price, the sequence of states. */
const fact = z.strictObject({ what: z.enum(WHATS), path: z.string(), is: z.string() });

/** An answer without its values. Paths are dotted; `*` is every item of a list, as in `data.*.id`. */
export const answerShape = z.strictObject({
  status: z.int(),
  /** Without parameters; empty where there is none. */
  media: z.string(),
  /** Documented headers by their names in small letters, each with its form. */
  headers: z.record(z.string(), z.string()),
  fields: z.record(z.string(), fieldShape),
  facts: z.array(fact),
});

const caseShape = z.strictObject({
  /** Its name in the plan. */
  id: z.string(),
  /** As the OpenAPI document calls it. */
  operation: z.string(),
  /** In words. */
  case: z.string(),
  shape: answerShape.optional(),
  /** Why there is none. */
  not_measured: z.string().optional(),
});

/** The file of `--shapes`: what was measured of a service, without a value of anybody. */
export const shapesFile = z.strictObject({
  /** Raised with every change that an older version could not read. */
  format: z.literal(1),
  /** Of the emulator that measured. */
  version: z.string(),
  /** When, as ISO time. */
  measured: z.iso.datetime(),
  /** The origin of the service. */
  against: z.string(),
  credits: z.int(),
  cases: z.array(caseShape),
});

export type FieldShape = z.infer<typeof fieldShape>;
export type Fact = z.infer<typeof fact>;
export type AnswerShape = z.infer<typeof answerShape>;
export type CaseShape = z.infer<typeof caseShape>;
export type ShapesFile = z.infer<typeof shapesFile>;

const DAY_MS = 86_400_000;
/** After so many days a service may have moved on. */
const FRESH_DAYS = 60;

/** The shapes of a file's text. Throws an `Error` that says in a sentence what is wrong with it. */
export function readShapes(text: string): ShapesFile {
  const { success, data, error } = shapesFile.safeParse(parsedJson(text));
  if (success) return data;
  const [issue] = error.issues;
  const where = issue?.path.join('.') || 'the file';
  throw new Error(
    `it is no file of shapes: ${where}: ${issue?.message}. Write one with drift --against URL --shapes FILE`,
  );
}

/** A warning for shapes that are older than 60 days; `now` in milliseconds. */
export function staleness({ measured }: ShapesFile, now: number): string | undefined {
  const days = Math.floor((now - Date.parse(measured)) / DAY_MS);
  if (days <= FRESH_DAYS) return undefined;
  return `These shapes were measured ${days} days ago; the service may have changed. Measure again with drift --against.`;
}

/** The file of what was measured; `now` in milliseconds. */
export function shapesText(
  { cases, credits }: { cases: readonly CaseShape[]; credits: number },
  against: string,
  now: number,
): string {
  const measured = new Date(now).toISOString();
  const file: ShapesFile = { format: 1, version: VERSION, measured, against, credits, cases: [...cases] };
  return `${JSON.stringify(file, null, 2)}\n`;
}

type TypeName = (typeof TYPES)[number];

/** An answer as it came; `json` is undefined for what is not JSON. */
export interface ReceivedAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  bytes: Buffer;
  json: unknown;
}

/** Fields that may be whole by chance. */
const FRACTIONS = new Set(['duration']);

/** The shape of an answer, without what only its sender knows. */
export function shapeOf({ status, headers, bytes, json }: ReceivedAnswer): AnswerShape {
  const type = mediaType(headers['content-type']);
  const body = json ?? (type === 'text/event-stream' ? streamed(bytes) : undefined);
  const media = KNOWN.media.has(type) ? type : 'other';
  return { status, media, headers: headerForms(headers), fields: fieldsOf(body), facts: [] };
}

/** Without parameters and in small letters. */
export function mediaType(header = ''): string {
  const [type = ''] = header.split(';');
  return type.trim().toLowerCase();
}

function headerForms(headers: ReceivedAnswer['headers']): Record<string, string> {
  const found = [...KNOWN.headers].flatMap((name) => {
    const value = headers[name];
    if (value === undefined) return [];
    if (name === 'www-authenticate') return [[name, schemeOf(value)]];
    return [[name, /^\d+$/.test(value) ? 'integer' : (idForm(value) ?? 'text')]];
  });
  return Object.fromEntries(found);
}

/** A word such as Bearer, and no realm. */
function schemeOf(challenge: string): string {
  const [scheme = ''] = challenge.split(' ', 1);
  return isKnownWord(scheme) ? scheme : 'other';
}

/** The data of a stream as one list of chunks. */
export function streamed(bytes: Buffer): { chunks: unknown[]; end: string } {
  const data = bytes
    .toString()
    .split(/\r?\n/)
    .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []));
  const chunks = data.flatMap((text) => (text === '[DONE]' ? [] : [parsedJson(text)]));
  return { chunks, end: data.at(-1) === '[DONE]' ? 'with [DONE]' : 'without [DONE]' };
}

/** What is gathered of a field while a body is read. */
interface Gathered {
  types: Set<TypeName>;
  forms: Set<string>;
  words: Set<string>;
  seen: number;
  /** The path of the objects that could have it; undefined for a body, and for items: that a list is empty is no difference. */
  parent: string | undefined;
}

/** How deep a body is read: the service nests half as deep. */
const DEEPEST = 12;
/** Fields of a body; what has more maps data. */
const MOST_FIELDS = 400;
/** Items of a list that are read: those behind them are like those before. */
const MOST_ITEMS = 10_000;

/** The fields of a body by their paths; that of the body itself is empty. */
export function fieldsOf(body: unknown): Record<string, FieldShape> {
  const gathered = new Map<string, Gathered>();
  const objects = new Map<string | undefined, number>();
  const others = new OtherWords();
  for (const { path, parent, value } of placesIn(body, others, { path: '', parent: undefined, depth: 0 })) {
    if (gathered.size >= MOST_FIELDS) break;
    const name = path.split('.').at(-1) ?? '';
    const row = gathered.get(path) ?? { types: new Set(), forms: new Set(), words: new Set(), seen: 0, parent };
    gathered.set(path, row);
    const type = typeOf(name, value);
    const form = formOf(name, value);
    const word = COMPARED.has(name) ? wordOf(value, others) : undefined;
    row.seen += 1;
    row.types.add(type);
    if (form !== undefined) row.forms.add(form);
    if (word !== undefined) row.words.add(word);
    if (type === 'object') objects.set(path, (objects.get(path) ?? 0) + 1);
  }
  const fields = [...gathered].map(([path, { types, forms, words, seen, parent }]) => [
    path,
    {
      types: [...types].toSorted(),
      always: seen >= (objects.get(parent) ?? 0),
      ...(forms.size > 0 && { forms: [...forms].toSorted() }),
      ...(words.size > 0 && { words: [...words].toSorted() }),
    },
  ]);
  return Object.fromEntries(fields);
}

interface Position {
  path: string;
  parent: string | undefined;
  depth: number;
}

/** A value of a body with all that is in it. */
function* placesIn(value: unknown, others: OtherWords, at: Position): Generator<Position & { value: unknown }> {
  const { path, depth } = at;
  if (value === undefined || depth > DEEPEST) return;
  yield { ...at, value };
  if (typeof value !== 'object' || value === null) return;
  const isList = Array.isArray(value);
  for (const [name, each] of Object.entries(isList ? value.slice(0, MOST_ITEMS) : value)) {
    const step = isList ? '*' : others.name(name);
    const parent = isList ? undefined : path;
    yield* placesIn(each, others, { path: path === '' ? step : `${path}.${step}`, parent, depth: depth + 1 });
  }
}

/** Undefined for what is no word, such as a sentence. */
function wordOf(value: unknown, others: OtherWords): string | undefined {
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'string' || !/^[A-Za-z][\w./+-]{0,79}$/.test(value)) return undefined;
  return others.word(value);
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
const ID = /^([a-z]{2,12})_(?:sample|…|(?=[a-z]*\d)[0-9A-Za-z]{6}|[0-9A-Za-z+/-]{16,}=*$)/i;

function idForm(value: string): string | undefined {
  const [, prefix] = ID.exec(value) ?? [];
  if (prefix === undefined) return undefined;
  return KNOWN.prefixes.has(prefix) || prefix === 'whsec' ? `id ${prefix}_` : 'id other';
}

/** Whether a text is a URL whose query holds a signature. */
function isSigned(text: string): boolean {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return false;
  return [...new URL(text).searchParams.keys()].some((name) => /sig|token|hmac|policy/i.test(name));
}

/** Whether a word, whatever a service calls it, is that of a job that has come to its end; and of one that has failed. */
export function isFinalState(word: string): boolean {
  return hasFailed(word) || /^(?:succeeded|success|done|completed?|finished|ready)$/i.test(word);
}

export function hasFailed(word: string): boolean {
  return /^(?:failed|failure|error|cancell?ed|expired)$/i.test(word);
}
