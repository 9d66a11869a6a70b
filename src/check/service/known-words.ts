import { PREFIX, SECRET_PREFIX } from '../../base/database/id-store.ts';
import { readChoices } from '../../base/package/choice-table.ts';
import { type JsonSchema, jsonSchema } from '../../control/openapi/json-schema.ts';
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
  ...['list', 'chat', 'image', 'video', 'speech', 'transcription', 'music', 'audio', 'text', 'post', 'true', 'false'],
  ...['done', 'complete', 'completed', 'finished', 'ready', 'success', 'pending', 'rendering', 'running'],
  ...['failure', 'error', 'canceled', 'cancelled', 'expired', 'bearer', 'basic'],
];
const MEDIA = [
  ...['', 'application/json', 'application/problem+json', 'application/octet-stream', 'text/event-stream', 'text/html'],
  ...['text/plain', 'audio/mpeg', 'audio/wav', 'image/png', 'image/jpeg', 'image/webp', 'video/mp4'],
];

export const KNOWN: KnownWords = knownWords();

function knownWords(): KnownWords {
  const names = new Set<string>();
  const words = new Set([...MORE_WORDS, ...MEDIA, ...Object.keys(ERROR_TABLE)]);
  for (const { type } of Object.values(ERROR_TABLE)) words.add(type);
  for (const schema of schemas()) collect(schema, names, words);
  for (const { touches } of readChoices()) {
    for (const field of touches.fields) names.add(field);
    for (const word of [...touches.codes, ...touches.events]) words.add(word);
  }
  const kinds = [...Object.values(PREFIX), 'req'].map((kind) => `${kind}_`);
  const prefixes = new Set([...kinds, ...Object.values(SECRET_PREFIX)]);
  return { names, words, prefixes, media: new Set(MEDIA) };
}

/** Of answers and events; of requests too, as what is at fault in one is named in `param`. */
function schemas(): JsonSchema[] {
  const answers = SERVICE.flatMap(({ answer, accepted, streamed }) => [answer, accepted, streamed]);
  const asked = SERVICE.flatMap(({ body, query }) => [body, query]);
  return [
    ...[...answers, errorSchema, sentEvent].flatMap((each) =>
      each === undefined || typeof each === 'string' ? [] : [jsonSchema(each, 'output')],
    ),
    ...asked.flatMap((each) => (each === undefined ? [] : [jsonSchema(each, 'input')])),
  ];
}

/** Every name of a property, and every word that a value may be, in a schema. */
function collect(schema: unknown, names: Set<string>, words: Set<string>): void {
  if (typeof schema !== 'object' || schema === null) return;
  const { properties, enum: choices, const: only } = Object(schema);
  for (const name of Object.keys(Object(properties))) names.add(name);
  for (const word of [...(Array.isArray(choices) ? choices : []), only]) if (typeof word === 'string') words.add(word);
  for (const each of Object.values(schema)) collect(each, names, words);
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
