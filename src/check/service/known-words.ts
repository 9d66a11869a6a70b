import { z } from 'zod';
import { PREFIX, SECRET_PREFIX } from '../../base/database/id-store.ts';
import { readChoices } from '../../base/package/choice-table.ts';
import { jsonSchema } from '../../control/openapi/json-schema.ts';
import { sentEvent } from '../../engine/webhooks/event-schemas.ts';
import { SERVICE } from '../../service/api/routes.ts';
import { ERROR_TABLE, errorSchema } from '../../service/http/error-printer.ts';

/** Words of a service that are no secret of anybody: they are in the contract, or in the emulator. */
interface KnownWords {
  /** Of fields. */
  names: ReadonlySet<string>;
  /** Values of fields such as `status`. */
  words: ReadonlySet<string>;
  /** What ids begin with, with the line below. */
  prefixes: ReadonlySet<string>;
  media: ReadonlySet<string>;
}

/** What the schemas do not list: the values of `object`, `kind` and the like, and states of jobs elsewhere. */
const MORE_WORDS = [
  'list',
  'chat',
  'image',
  'video',
  'speech',
  'transcription',
  'music',
  'audio',
  'text',
  'post',
  'true',
  'false',
  'done',
  'complete',
  'completed',
  'finished',
  'ready',
  'success',
  'pending',
  'rendering',
  'running',
  'failure',
  'error',
  'canceled',
  'cancelled',
  'expired',
  'bearer',
  'basic',
];
const MEDIA = [
  '',
  'application/json',
  'application/problem+json',
  'application/octet-stream',
  'text/event-stream',
  'text/html',
  'text/plain',
  'audio/mpeg',
  'audio/wav',
  'image/png',
  'image/jpeg',
  'image/webp',
  'video/mp4',
];

export const KNOWN: KnownWords = knownWords();

function knownWords(): KnownWords {
  const names = new Set<string>();
  const words = new Set([...MORE_WORDS, ...MEDIA, ...Object.keys(ERROR_TABLE)]);
  for (const { type } of Object.values(ERROR_TABLE)) words.add(type);
  const answers = SERVICE.flatMap(({ answer, accepted, streamed }) => [answer, accepted, streamed]);
  // What is at fault in a request is named in `param`.
  const asked = SERVICE.flatMap(({ body, query }) => [body, query]);
  const fields = new Map<string, DocumentedField>();
  for (const each of [...answers, errorSchema, sentEvent]) collect(fields, each, 'output');
  for (const each of asked) collect(fields, each, 'input');
  for (const [path, field] of fields) {
    const name = path.split('.').at(-1) ?? '';
    if (/\w/.test(name)) names.add(name);
    for (const word of field.words) words.add(word);
  }
  for (const { touches } of readChoices()) {
    for (const field of touches.fields) names.add(field);
    for (const word of [...touches.codes, ...touches.events]) words.add(word);
  }
  const kinds = [...Object.values(PREFIX), 'req'].map((kind) => `${kind}_`);
  const prefixes = new Set([...kinds, ...Object.values(SECRET_PREFIX)]);
  return { names, words, prefixes, media: new Set(MEDIA) };
}

/** A field as the OpenAPI document has it. */
export interface DocumentedField {
  types: string[];
  optional: boolean;
  words: string[];
}

/** The fields of an operation's answer by their paths; of an error those of every error. */
export function documentedFields(
  operation: string,
  status: number,
  media: string,
): ReadonlyMap<string, DocumentedField> {
  const fields = new Map<string, DocumentedField>();
  const shape = SERVICE.find(({ name }) => name === operation);
  const isStream = media === 'text/event-stream';
  const accepted = status === 202 ? shape?.accepted : undefined;
  const answer = status >= 400 ? errorSchema : isStream ? shape?.streamed : (accepted ?? shape?.answer);
  collect(fields, answer, 'output', isStream ? 'chunks.*' : '');
  return fields;
}

/** Adds the fields of a schema; what is described otherwise, such as a file, has none. */
function collect(fields: Map<string, DocumentedField>, schema: unknown, io: 'input' | 'output', path = ''): void {
  if (schema instanceof z.ZodType) collectFields(fields, jsonSchema(schema, io), { path, optional: false });
}

interface Position {
  path: string;
  optional: boolean;
}

function collectFields(fields: Map<string, DocumentedField>, schema: Inside, { path, optional }: Position): void {
  const members = membersOf(schema);
  const { types = [], words = [], optional: before = false } = fields.get(path) ?? {};
  fields.set(path, {
    types: [...new Set([...types, ...members.flatMap(({ type = [] }) => type)])],
    optional: optional || before,
    words: [...new Set([...words, ...members.flatMap(wordsOf)])],
  });
  const isAlone = members.filter(({ properties }) => properties).length === 1;
  const below = (name: string) => (path === '' ? name : `${path}.${name}`);
  for (const { properties = {}, required = [], items } of members) {
    for (const [name, each] of Object.entries(properties)) {
      const isOptional = optional || !isAlone || !required.includes(name);
      collectFields(fields, each, { path: below(name), optional: isOptional });
    }
    if (items) collectFields(fields, items, { path: below('*'), optional: optional || !isAlone });
  }
}

/** What is read of a schema. */
interface Inside {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Inside>;
  required?: string[];
  items?: Inside;
  anyOf?: Inside[];
  oneOf?: Inside[];
}

function membersOf(schema: Inside): Inside[] {
  return (schema.anyOf ?? schema.oneOf)?.flatMap(membersOf) ?? [schema];
}

function wordsOf({ enum: words = [], const: only }: Inside): string[] {
  return [...words, ...(only === undefined ? [] : [only])].map(String);
}

/** Beyond so many a body maps data, and all others are one. */
const MOST_OTHERS = 20;

/** What stands for words that nothing here knows: `other 1` for the first of them, wherever it is repeated. */
export class OtherWords {
  readonly #numbers = new Map<string, number>();

  name(text: string): string {
    return KNOWN.names.has(text) ? text : this.#other(text);
  }

  word(text: string): string {
    return isKnownWord(text) ? text : this.#other(text);
  }

  #other(text: string): string {
    const number = this.#numbers.get(text) ?? Math.min(this.#numbers.size + 1, MOST_OTHERS);
    if (this.#numbers.size < MOST_OTHERS) this.#numbers.set(text, number);
    return `other ${number}`;
  }
}

/** Whether it is a word of the contract, in capitals too, or a path of fields as `param` has it. */
export function isKnownWord(text: string): boolean {
  if (text.length > 200) return false;
  if (KNOWN.words.has(text) || KNOWN.words.has(text.toLowerCase())) return true;
  return text.split('.').every((step) => KNOWN.names.has(step) || /^\d{1,3}$/.test(step));
}

/** Shorter ones are in words of any report. */
const SHORTEST = 8;

/** A copy of what is about to be written, in which each text that spells the API key is `…`. */
export function withoutKey<Value>(value: Value, key: string): Value {
  const spelled = spellings(key);
  const copy = (each: unknown): unknown => {
    if (typeof each === 'string') return isSpelled(each, spelled) ? '…' : each;
    if (Array.isArray(each)) return each.map(copy);
    if (typeof each !== 'object' || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([name, inside]) => [copy(name), copy(inside)]));
  };
  return copy(value) as Value;
}

/** Whether a text spells the key: as it is, in other capitals, backwards, escaped, encoded, or with other signs between. */
export function spellsKey(text: string, key: string): boolean {
  return isSpelled(text, spellings(key));
}

/** What is looked for in the letters and digits of a text. */
interface Spellings {
  anyCase: readonly string[];
  base64: readonly string[];
}

function spellings(key: string): Spellings {
  const letters = lettersIn(key).toLowerCase();
  if (letters.length < SHORTEST) return { anyCase: [], base64: [] };
  const backwards = [...letters].toReversed().join('');
  const hex = Buffer.from(key).toString('hex');
  return { anyCase: [letters, backwards, hex], base64: [0, 1, 2].map((shift) => base64At(key, shift)) };
}

/** The part of a base64 that every text has in it that has the key so many bytes after a group of three. */
function base64At(key: string, shift: number): string {
  const whole = Buffer.from('\0'.repeat(shift) + key)
    .toString('base64')
    .replace(/={1,2}$/, '');
  const end = (shift + key.length) % 3 === 0 ? whole.length : whole.length - 1;
  return lettersIn(whole.slice([0, 2, 3][shift], end));
}

function isSpelled(text: string, { anyCase, base64 }: Spellings): boolean {
  return [text, unescaped(text)].some((each) => {
    const letters = lettersIn(each);
    const lower = letters.toLowerCase();
    return anyCase.some((one) => lower.includes(one)) || base64.some((one) => letters.includes(one));
  });
}

function lettersIn(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9]/g, '');
}

/** With `%73`, `\u0073`, `\x73` and `&#x73;` as the letters that they are. */
function unescaped(text: string): string {
  const coded = /%([0-9a-f]{2})|\\u00([0-9a-f]{2})|\\x([0-9a-f]{2})|&#x([0-9a-f]{2});/gi;
  return text.replaceAll(coded, (_all, ...codes: unknown[]) => {
    const code = codes.slice(0, 4).find((each) => typeof each === 'string');
    return String.fromCharCode(Number.parseInt(String(code), 16));
  });
}
