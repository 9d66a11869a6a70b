import { secretValues } from '../../base/config/secret-values.ts';
import { redact } from '../../engine/journal/redaction.ts';
import { MultiPatternMatcher, NormalizedText } from './normalized-text.ts';

/** A shorter secret is masked only as a whole word, in free text. */
const SHORTEST_ANYWHERE = 6;
/** An even shorter secret would occur everywhere. */
const SHORTEST = 3;

/** The supported depth of JSON inside JSON strings. */
const DEPTHS = 3;

interface SecretForms {
  /** Found anywhere, or only as a whole word. */
  anywhere: string[];
  asWord: string[];
  /** Base64 and hex, found anywhere, letters and digits only. */
  encoded: string[];
}

function secretForms(secrets: readonly string[]): SecretForms {
  const forms: SecretForms = { anywhere: [], asWord: [], encoded: [] };
  const reading = new NormalizedText();
  for (const secret of secrets) {
    const spelled = [...spellings(secret, reading), ...meanings(secret, reading)];
    for (const form of spelled) {
      if (Math.min(form.length, secret.length) < SHORTEST_ANYWHERE) forms.asWord.push(form);
      else forms.anywhere.push(form);
    }
    if (secret.length >= SHORTEST_ANYWHERE) forms.encoded.push(...encodings(secret, reading));
  }
  return forms;
}

/** Plain and escaped for JSON. */
function spellings(secret: string, reading: NormalizedText): string[] {
  const found = new Set<string>();
  for (let [text, depth] = [secret, 0]; depth <= DEPTHS; depth += 1) {
    reading.readPlain(text);
    found.add(reading.toString());
    text = JSON.stringify(text).slice(1, -1);
  }
  return [...found];
}

/** With escapes decoded, or with backslashes removed, as in the text. */
function meanings(secret: string, reading: NormalizedText): string[] {
  return [secret, secret.replaceAll('\\', '')]
    .map((text) => {
      reading.read(text);
      return reading.toString();
    })
    .filter(({ length }) => length >= SHORTEST);
}

function encodings(secret: string, reading: NormalizedText): string[] {
  const bytes = Buffer.from(secret);
  return [bytes.toString('hex'), ...inBase64(bytes)]
    .map((encoded) => {
      reading.readPlain(encoded);
      reading.condense();
      return reading.toString();
    })
    .filter(({ length }) => length >= SHORTEST_ANYWHERE);
}

/**
 * Base64 encodes three bytes at a time, so a secret has three spellings. The outer characters also depend on its neighbors
 * and are left out.
 */
function inBase64(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
}

const BEARER = /\b(Bearer\s+)[\w.~+/=-]{4,}/gi;
const HOOK = /(\/hooks\/flows\/)[\w-]+/g;
/** In a page `&` is an entity, and JSON may escape it. */
const QUERY = /((?:[?&;]|\\u0026)(?:access_token|token|sig|signature)=)[^&;#\s"'<>`\\]+/gi;
/** JSON may escape the slashes. */
const USER = /(:(?:\\{0,8}\/){2})[^\s\\/?#"'<>`]{1,512}@/g;
const LETTER = /[\p{L}\p{N}]/u;

/** Texts are read in windows. Neighboring windows overlap by the longest spelling of a secret. */
const WINDOW = 262_144;
/** A spelling is at most this many times longer than its secret. */
const SPELLED = 8;

/** Masks patterns that need no list of values. */
function plainly(text: string): string {
  return redact(text).replace(BEARER, '$1…').replace(HOOK, '$1…').replace(QUERY, '$1…').replace(USER, '$1…@');
}

/** Fields that contain free text, including everything below them. */
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

/** From inclusive, to exclusive. */
type Part = readonly [from: number, to: number];

/**
 * Masks keys, signing secrets, bearer values, hook URLs, users of URLs, and the given values in any spelling. The time
 * depends on the length of the text, not on the number of values.
 */
export class Mask {
  readonly #anywhere: MultiPatternMatcher;
  readonly #asWord: MultiPatternMatcher;
  readonly #encoded: MultiPatternMatcher;
  readonly #overlap: number;
  readonly #reading = new NormalizedText();

  constructor(secrets: readonly string[]) {
    const { anywhere, asWord, encoded } = secretForms(secrets);
    this.#anywhere = new MultiPatternMatcher(anywhere);
    this.#asWord = new MultiPatternMatcher(asWord);
    this.#encoded = new MultiPatternMatcher(encoded);
    const longest = [this.#anywhere, this.#asWord, this.#encoded].map((patterns) => patterns.longest);
    this.#overlap = SPELLED * Math.max(...longest);
  }

  /** Consecutive lines, because a secret may be wrapped. */
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
      if ((parts[next]?.[1] ?? end) === from) next += 1;
      return without(line, own);
    });
  }

  json(record: object): string {
    const json = plainly(JSON.stringify(record));
    if (this.#secretParts(json, true).length === 0) return json;
    return JSON.stringify(this.#within(JSON.parse(json), false));
  }

  /** Changes only strings, not numbers or field names. */
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

  /** Sorted, without overlaps. */
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
    if (NormalizedText.isSpelled(text)) {
      this.#reading.readPlain(text);
      this.#lookForWords(isFree, onFound);
    }
    this.#reading.read(text);
    this.#lookForWords(isFree, onFound);
    this.#reading.condense();
    this.#lookFor(this.#encoded, () => true, onFound);
  }

  #lookForWords(isFree: boolean, onFound: (from: number, to: number) => void): void {
    this.#lookFor(this.#anywhere, () => true, onFound);
    if (isFree) this.#lookFor(this.#asWord, (from, to) => !this.#isLetter(from - 1) && !this.#isLetter(to), onFound);
  }

  #lookFor(
    patterns: MultiPatternMatcher,
    isMeant: (from: number, to: number) => boolean,
    onFound: (from: number, to: number) => void,
  ): void {
    const reading = this.#reading;
    patterns.find(reading, (from, to) => {
      if (!isMeant(from, to)) return false;
      onFound(reading.start(from), reading.end(to - 1));
      return true;
    });
  }

  #isLetter(at: number): boolean {
    const { units, count } = this.#reading;
    return at >= 0 && at < count && LETTER.test(String.fromCharCode(units[at] ?? 0));
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

/** Masks before it cuts, because half a secret is not recognized. */
export function maskedText(text: string, env?: NodeJS.ProcessEnv): string {
  return new Mask(secretValues(env)).lines(text.split('\n')).join('\n');
}

/** In characters. */
const LONGEST_SECRET = 8192;

/**
 * The last `limit` characters of an unmasked text. It begins at a line or well after the cut, so that it never begins with
 * the rest of a secret.
 */
export function lastPart(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const kept = text.slice(-limit);
  const line = kept.indexOf('\n');
  return line === -1 ? kept.slice(LONGEST_SECRET) : kept.slice(line + 1);
}
