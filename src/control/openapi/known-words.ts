import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { PREFIX } from '../../base/database/id-store.ts';
import { readChoices } from '../../base/package/choice-table.ts';
import { fixtureFolder } from '../../base/package/package-folder.ts';
import { sentEvent } from '../../engine/webhooks/event-schemas.ts';
import { SERVICE } from '../../service/api/routes.ts';
import { ERROR_TABLE, errorSchema } from '../../service/http/error-printer.ts';
import { Mask } from '../mask/mask.ts';
import { jsonSchema } from './json-schema.ts';

/** Of `fixtures/drift-words.json`: what no schema lists. */
const MORE: Readonly<Record<'words' | 'media' | 'headers' | 'closed', readonly string[]>> = JSON.parse(
  readFileSync(join(fixtureFolder(), 'drift-words.json'), 'utf8'),
);

/** What the contract names, or the emulator: of all that a service says this alone is no secret of anybody. */
export const KNOWN = knownWords();

function knownWords() {
  const queries = fieldsOf(
    SERVICE.map(({ query }) => query),
    'input',
  );
  const answers = SERVICE.flatMap(({ answer, accepted, streamed }) => [answer, accepted, streamed]);
  const fields = [
    ...fieldsOf([...answers, errorSchema, sentEvent], 'output'),
    // What is at fault in a request is named in `param`.
    ...fieldsOf(
      SERVICE.map(({ body }) => body),
      'input',
    ),
    ...queries,
  ];
  const touched = readChoices().map(({ touches }) => touches);
  const contract = [
    ...fields.flatMap(({ words }) => words),
    ...Object.entries(ERROR_TABLE).flatMap(([code, { type }]) => [code, type]),
    ...touched.flatMap(({ codes, events }) => [...codes, ...events]),
  ];
  return {
    /** Of fields. */
    names: new Set([...fields.map(({ name }) => name), ...touched.flatMap((each) => each.fields)]),
    /** Of fields whose values are closed words. */
    closed: new Set(fields.flatMap(({ name, words }) => (words.length > 0 ? [name] : []))),
    /** Of fields of queries. */
    queries: new Set(queries.map(({ name }) => name)),
    /** Values of fields such as `status`. */
    contract: new Set(contract),
    /** These, and what another service may say instead. */
    words: new Set([...contract, ...MORE.words, ...MORE.media]),
    /** What ids begin with, before their line. */
    prefixes: new Set<string>([...Object.values(PREFIX), 'req']),
    media: new Set(MORE.media),
    /** Headers beside the content type. */
    headers: new Set(MORE.headers),
  };
}

/** The path of the interface that is asked for, as `/v1/webhooks/:id`, and the id in it; a fixed one comes before others. */
export function servedPath(asked: string): { path: string; id: string | undefined } | undefined {
  for (const { path } of SERVICE) {
    const found = new RegExp(`^${path.replace(':id', '([^/?]+)')}/?(?:[?]|$)`).exec(asked);
    if (found) return { path, id: found[1] };
  }
  return undefined;
}

/** The names in schemas, each with its closed words. */
function fieldsOf(schemas: readonly unknown[], io: 'input' | 'output'): { name: string; words: string[] }[] {
  return [...documented(schemas, io)].flatMap(([at, { words }]) => {
    const name = at.split('.').findLast((step) => step !== '*');
    return name ? [{ name, words }] : [];
  });
}

/** Fields whose words are compared. */
export const COMPARED: ReadonlySet<string> = new Set(MORE.closed);

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
  const shape = SERVICE.find(({ name }) => name === operation);
  const isStream = media === 'text/event-stream';
  const accepted = status === 202 ? shape?.accepted : undefined;
  const answer = status >= 400 ? errorSchema : isStream ? shape?.streamed : (accepted ?? shape?.answer);
  return documented([answer], 'output', isStream ? 'chunks.*' : '');
}

/** The fields of schemas; what is described otherwise, such as a file, has none. */
function documented(schemas: readonly unknown[], io: 'input' | 'output', path = ''): Map<string, DocumentedField> {
  const fields = new Map<string, DocumentedField>();
  for (const schema of schemas) {
    if (schema instanceof z.ZodType) collectFields(fields, jsonSchema(schema, io), { path, optional: false });
  }
  return fields;
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
  const isSpelled = finderOf(key);
  const copy = (each: unknown): unknown => {
    if (typeof each === 'string') return isSpelled(each) ? '…' : each;
    if (Array.isArray(each)) return each.map(copy);
    if (typeof each !== 'object' || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([name, inside]) => [copy(name), copy(inside)]));
  };
  return copy(value) as Value;
}

/** Whether a text spells the key: as it is, in other capitals, backwards, escaped, encoded, or with other signs between. */
export function spellsKey(text: string, key: string): boolean {
  return finderOf(key)(text);
}

function finderOf(key: string): (text: string) => boolean {
  const letters = lettersIn(key);
  if (letters.length < SHORTEST) return () => false;
  const mask = new Mask([key, letters, [...letters].toReversed().join('')]);
  return (text) => [text, lettersIn(text)].some((each) => mask.lines([each])[0] !== each);
}

function lettersIn(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9]/g, '');
}
