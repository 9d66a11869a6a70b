import { PREFIX } from '../base/database/id-store.ts';
import { EmulatorDocuments } from '../control/openapi/openapi-document.ts';
import { readCatalogue } from '../engine/catalogue/catalogue.ts';
import { ERROR_TABLE } from '../service/http/error-printer.ts';

/** What the contract names: of a request or an answer, this alone is known not to be private. */
export interface ContractNames {
  /** Fields of bodies. */
  fields: ReadonlySet<string>;
  /** Fields whose values are words of a closed list. */
  closed: ReadonlySet<string>;
  /** Those words, with codes and types of errors and the ids of models. */
  words: ReadonlySet<string>;
  query: ReadonlySet<string>;
  /** In small letters. */
  headers: ReadonlySet<string>;
  /** Media types. */
  media: ReadonlySet<string>;
  /** Paths by their segments; a parameter is `{id}`. Those without a parameter come first. */
  paths: readonly (readonly string[])[];
  /** What ids begin with. */
  prefixes: ReadonlySet<string>;
}

const OF_HTTP = ['authorization', 'content-type', 'content-encoding', 'content-length'];
const FILES = [
  'image/png',
  'video/mp4',
  'audio/mpeg',
  'audio/wav',
  'text/plain',
  'text/html',
  'application/octet-stream',
];
/** Places of a document with values that a user has made up. */
const EXAMPLES = new Set(['example', 'examples', 'default']);

/** Collected from the OpenAPI document of the service. */
export function contractNames(): ContractNames {
  const catalogue = readCatalogue();
  const document = new EmulatorDocuments(catalogue).service();
  const names = {
    fields: new Set<string>(),
    closed: new Set(['code', 'model', 'voice']),
    words: new Set([
      ...Object.entries(ERROR_TABLE).flatMap(([code, { type }]) => [code, type]),
      ...catalogue.list().flatMap(({ id, kind }) => [id, kind]),
      'Bearer',
    ]),
    query: new Set(['exp', 'sig']),
    headers: new Set(OF_HTTP),
    media: new Set(FILES),
  };
  collect(document, '', names);
  const paths = Object.keys(Object(document.paths)).map((path) => path.split('/'));
  const isFixed = (path: readonly string[]) => !path.some((step) => step.startsWith('{'));
  return {
    ...names,
    paths: paths.toSorted((a, b) => Number(isFixed(b)) - Number(isFixed(a))),
    prefixes: new Set([...Object.values(PREFIX), 'req']),
  };
}

type Found = Record<'fields' | 'closed' | 'words' | 'query' | 'headers' | 'media', Set<string>>;

function collect(value: unknown, field: string, found: Found): void {
  if (Array.isArray(value)) {
    for (const each of value) collect(each, field, found);
    return;
  }
  const place = Object(value) as Record<string, unknown>;
  note(place, field, found);
  for (const key of keysOf(value).filter((each) => !EXAMPLES.has(each))) {
    if (key !== 'properties') collect(place[key], field, found);
    else for (const [name, inside] of Object.entries(Object(place[key]))) collect(inside, name, found);
  }
}

/** What one place of the document names by itself. */
function note(place: Record<string, unknown>, field: string, found: Found): void {
  const { in: where, name, enum: words = [], const: only } = place;
  if (where === 'query') found.query.add(String(name));
  for (const each of keysOf(place.content)) found.media.add(each);
  for (const each of keysOf(place.headers)) found.headers.add(each.toLowerCase());
  for (const each of keysOf(place.properties)) found.fields.add(each);
  const all = [...(Array.isArray(words) ? words : []), only].filter((each) => each !== undefined && each !== null);
  for (const word of all) found.words.add(String(word));
  if (all.some((word) => typeof word === 'string')) found.closed.add(field);
}

function keysOf(value: unknown): string[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
}
