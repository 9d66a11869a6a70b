import { grouped } from '../../base/grouped.ts';
import { redact } from '../../engine/journal/redaction.ts';
import { asMeant, asWritten, condensed, isSpelled, type Reading } from './plain-reading.ts';

/** A shorter secret is masked only as a word of its own, in text that a person wrote. */
const SHORTEST_ANYWHERE = 6;
/** A secret that is shorter without its spelling would be found everywhere. */
const SHORTEST = 3;
/** How deep JSON may be nested in JSON strings, for a secret that changes once its escapes are read. */
const DEPTHS = 3;

/** The texts, in small letters, by which a secret is recognised. */
interface SecretForms {
  anywhere: Set<string>;
  asWord: Set<string>;
  /** Its bytes as base64 and hex, letters and digits only. */
  encoded: Set<string>;
}

function secretForms(secrets: readonly string[]): SecretForms {
  const forms: SecretForms = { anywhere: new Set(), asWord: new Set(), encoded: new Set() };
  for (const secret of secrets) {
    for (const form of [...spellings(secret), ...meanings(secret)]) {
      const isShort = Math.min(form.length, secret.length) < SHORTEST_ANYWHERE;
      forms[isShort ? 'asWord' : 'anywhere'].add(form);
    }
    if (secret.length >= SHORTEST_ANYWHERE) for (const form of encodings(secret)) forms.encoded.add(form);
  }
  return forms;
}

const HEAD = 32;

interface Finder {
  heads: RegExp;
  byHead: Map<string, string[]>;
}

function finderOf(forms: Set<string>, around?: (any: string) => string): Finder | undefined {
  if (forms.size === 0) return undefined;
  const longestFirst = [...forms].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  const byHead = grouped(longestFirst, (form) => form.slice(0, HEAD));
  const any = [...byHead.keys()].map((head) => head.replaceAll(/[$()*+./?[\\\]^{|}]/g, '\\$&')).join('|');
  return { byHead, heads: around ? new RegExp(around(any), 'gu') : new RegExp(any, 'g') };
}

const WORD = (any: string) => String.raw`(?<![\p{L}\p{N}])(?:${any})(?![\p{L}\p{N}])`;

function spellings(secret: string): string[] {
  const found = [secret];
  for (let depth = 0; depth < DEPTHS; depth += 1) found.push(JSON.stringify(found.at(-1)).slice(1, -1));
  return found.filter((text) => text !== '').map((text) => asWritten(text).text);
}

function meanings(secret: string): string[] {
  const read = [secret, secret.replaceAll('\\', '')].map((text) => asMeant(text).text);
  return read.filter(({ length }) => length >= SHORTEST);
}

function encodings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const encoded = [bytes.toString('hex'), ...inBase64(bytes)].map((text) => condensed(asWritten(text)).text);
  return encoded.filter(({ length }) => length >= SHORTEST_ANYWHERE);
}

/** Base64 encodes three bytes at a time: the bytes before it decide in which of three ways it is written. */
function inBase64(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
}

const BEARER = /\b(Bearer\s+)[\w.~+/=-]{4,}/gi;
const HOOK = /(\/hooks\/flows\/)[\w-]+/g;
/** Secrets in the query of a URL; in a page `&` is an entity, and JSON may escape it. */
const QUERY = /((?:[?&;]|\\u0026)(?:access_token|token|sig|signature)=)[^&;#\s"'<>`\\]+/gi;
/** `user:password@` of a URL, also where its slashes are escaped. */
const USER = /(:(?:\\{0,8}\/){2})[^\s\\/?#"'<>`]{1,512}@/g;

/** Characters of a text that are looked at together; where it is cut, both sides see what a secret may take there. */
const WINDOW = 262_144;
/** How much longer than itself a secret may be spelled. */
const SPELLED = 8;

/** A text without keys, signing secrets, bearer values, addresses of hooks and users of URLs. */
function plainly(text: string): string {
  return redact(text).replace(BEARER, '$1…').replace(HOOK, '$1…').replace(QUERY, '$1…').replace(USER, '$1…@');
}

/** Texts of people, by the names under which a record keeps it: all below them is free text. */
const FREE = new Set([
  'title',
  'failure',
  'output',
  'request',
  'answer',
  'path',
  'name',
  'prompt',
  'words',
  'text',
  'url',
  'message',
  'envelope',
  'payload',
  'body',
  'responseBody',
  'response_body',
  'error',
  'inputs',
  'outputs',
  'detail',
  'lyrics',
]);

type Part = readonly [from: number, to: number];

/**
 * Hides keys, signing secrets, bearer values, hook URLs of flows, users of URLs, and the given secrets, however they are
 * spelled.
 */
export class Mask {
  readonly #anywhere: Finder | undefined;
  readonly #asWord: Finder | undefined;
  readonly #encoded: Finder | undefined;
  readonly #overlap: number;

  constructor(secrets: readonly string[]) {
    const { anywhere, asWord, encoded } = secretForms(secrets);
    this.#anywhere = finderOf(anywhere);
    this.#asWord = finderOf(asWord, WORD);
    this.#encoded = finderOf(encoded);
    const lengths = [...anywhere, ...asWord, ...encoded].map(({ length }) => length);
    this.#overlap = SPELLED * lengths.reduce((longest, length) => Math.max(longest, length), 0);
  }

  lines(lines: readonly string[]): string[] {
    const plain = lines.map(plainly);
    const parts = this.#secretParts(plain.join('\n'), true);
    let [from, next] = [0, 0];
    return plain.map((line) => {
      const end = from + line.length;
      const own: Part[] = [];
      while ((parts[next]?.[0] ?? end) < end) {
        const [first, last] = parts[next] ?? [end, end];
        own.push([Math.max(first, from) - from, Math.min(last, end) - from]);
        if (last > end) break;
        next += 1;
      }
      from = end + 1;
      // What reaches to the end of a line, and no further, is over with it.
      if ((parts[next]?.[1] ?? end) === from) next += 1;
      return without(line, own);
    });
  }

  json(record: object): string {
    const json = plainly(JSON.stringify(record));
    if (this.#secretParts(json, true).length === 0) return json;
    return JSON.stringify(this.#within(JSON.parse(json), false));
  }

  /** Texts only: a number, or a name of a field, that looks the same is none of it. */
  #within(value: unknown, isFree: boolean): unknown {
    if (typeof value === 'string') return without(value, this.#secretParts(value, isFree));
    if (Array.isArray(value)) return value.map((each) => this.#within(each, isFree));
    if (typeof value !== 'object' || value === null) return value;
    const fields = Object.entries(value).map(([name, each]) => [
      isFree ? without(name, this.#secretParts(name, true)) : name,
      this.#within(each, isFree || FREE.has(name)),
    ]);
    return Object.fromEntries(fields);
  }

  #secretParts(text: string, isFree: boolean): Part[] {
    if (this.#overlap === 0) return [];
    const parts: Part[] = [];
    const step = Math.max(WINDOW, 4 * this.#overlap);
    for (let from = 0; from < text.length; from += step) {
      const found: Part[] = [];
      const window = text.slice(from, from + step + this.#overlap);
      this.#look(window, isFree, (first, last) => found.push([from + first, from + last]));
      for (const part of joined(found)) parts.push(part);
    }
    return joined(parts);
  }

  #look(text: string, isFree: boolean, onFound: (from: number, to: number) => void): void {
    const meant = isSpelled(text) ? asMeant(text) : asWritten(text);
    if (isSpelled(text)) this.#lookForWords(asWritten(text), isFree, onFound);
    this.#lookForWords(meant, isFree, onFound);
    if (this.#encoded) find(condensed(meant), this.#encoded, onFound);
  }

  #lookForWords(reading: Reading, isFree: boolean, onFound: (from: number, to: number) => void): void {
    if (this.#anywhere) find(reading, this.#anywhere, onFound);
    if (isFree && this.#asWord) find(reading, this.#asWord, onFound);
  }
}

/** Calls `onFound` with the place in the original text of each form, also if they overlap. */
function find({ text, ...reading }: Reading, finder: Finder, onFound: (from: number, to: number) => void): void {
  const { heads, byHead } = finder;
  heads.lastIndex = 0;
  for (let match = heads.exec(text); match; match = heads.exec(text)) {
    const { index } = match;
    const form = byHead.get(match[0])?.find((each) => text.startsWith(each, index));
    if (form !== undefined) onFound(reading.start(index), reading.end(index + form.length - 1));
    heads.lastIndex = index + 1;
  }
}

function joined(parts: readonly Part[]): Part[] {
  const whole: Part[] = [];
  for (const [from, to] of parts.toSorted(([a], [b]) => a - b)) {
    const last = whole.at(-1);
    if (last && from < last[1]) whole[whole.length - 1] = [last[0], Math.max(last[1], to)];
    else whole.push([from, to]);
  }
  return whole;
}

function without(text: string, parts: readonly Part[]): string {
  if (parts.length === 0) return text;
  let from = 0;
  const pieces = parts.map(([first, last]) => {
    const before = text.slice(from, first);
    from = last;
    return `${before}…`;
  });
  return pieces.join('') + text.slice(from);
}
