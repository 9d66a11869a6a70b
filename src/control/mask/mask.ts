import { secretValuesInEnvironment } from '../../base/config/secret-values.ts';
import { SECRET_PREFIXES } from '../../base/database/id-store.ts';
import { distinct, groupBy, unicodeEscape } from '../../base/text.ts';
import { redact } from '../../engine/journal/redaction.ts';

/** A shorter secret is masked only as a whole word, and not in base64 or hex. */
const MIN_ANYWHERE = 6;
/** How often a secret may be escaped as JSON. A record is JSON and contains a body, which may contain JSON as text. */
const MAX_JSON_DEPTH = 5;

function textForms(secret: string): string[] {
  return [secret, ...jsonForms(secret), ...percentForms(secret)];
}

/** Forms of a secret in JSON, because serializers may also escape non-ASCII characters, characters of HTML or slashes. */
function jsonForms(secret: string): string[] {
  const json = (text: string) => JSON.stringify(text).slice(1, -1);
  const once = json(secret);
  const ascii = once.replace(/[^ -~]/g, unicodeEscape);
  const levels = [[once, ascii, once.replace(/[<>&]/g, unicodeEscape), ascii.replaceAll('/', '\\/')]];
  for (let depth = 2; depth <= MAX_JSON_DEPTH; depth += 1) levels.push((levels.at(-1) ?? []).map(json));
  return levels.flat();
}

function percentForms(secret: string): string[] {
  // Replaces a lone surrogate, which cannot be percent-encoded.
  const text = Buffer.from(secret).toString();
  const component = encodeURIComponent(text);
  const strict = component.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const forms = [component, strict, encodeURI(text), `${new URLSearchParams({ '': text })}`.slice(1)];
  return [...forms, ...forms.map((form) => form.replace(/%../g, (byte) => byte.toLowerCase()))];
}

function byteForms(text: string): string[] {
  const hex = Buffer.from(text).toString('hex');
  return [hex, hex.toUpperCase(), ...base64Forms(Buffer.from(text))];
}

/** Base64 encodes three bytes together, so there are three forms. Their ends depend on the neighbors and are left out. */
function base64Forms(bytes: Buffer): string[] {
  const inside = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  return [...inside, ...inside.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))];
}

const ENCODED_KEYS = Object.values(SECRET_PREFIXES).flatMap((prefix) => [
  `${Buffer.from(prefix).toString('hex')}[0-9a-f]+`,
  ...base64Forms(Buffer.from(prefix)).map((form) => `${form}[\\w+/-]+`),
]);

/** In JSON a slash may be escaped, and `&` may be `\u0026`. */
const PATTERNS: readonly [pattern: RegExp, shown: string][] = [
  [new RegExp(ENCODED_KEYS.join('|'), 'g'), '…'],
  [/\b(Bearer\s+)[\w.~+/=-]{4,}/gi, '$1…'],
  [/(\/hooks\/flows\/)[\w-]+/g, '$1…'],
  [/((?:[?&;]|\\u0026)(?:access_token|token|sig|signature)=)[^&;#\s"'<>`\\]+/gi, '$1…'],
  [/(:(?:\\{0,8}\/){2})[^\s\\/?#"'<>`]{1,512}@/g, '$1…@'],
];

type Part = readonly [from: number, to: number];

/**
 * Masks keys, signing secrets, bearer values, hook URLs, users and tokens in URLs, and the given secrets, even if they
 * are escaped or encoded. `MIN_ANYWHERE` restricts this for short secrets.
 */
export class Mask {
  readonly #anywhere: ReadonlyMap<string, readonly string[]>;
  readonly #starts: RegExp | undefined;
  readonly #asWord: readonly string[];

  constructor(secrets: readonly string[]) {
    const isLong = ({ length }: string) => length >= MIN_ANYWHERE;
    const long = secrets.filter(isLong).flatMap((secret) => [...textForms(secret), ...byteForms(secret)]);
    this.#anywhere = groupBy(distinct(long).filter(isLong), (form) => form.slice(0, MIN_ANYWHERE));
    const starts = [...this.#anywhere.keys()].map((start) => start.replace(/[^\w]/g, '\\$&'));
    this.#starts = starts.length > 0 ? new RegExp(starts.join('|'), 'g') : undefined;
    this.#asWord = distinct(secrets.filter((secret) => !isLong(secret)).flatMap(textForms));
  }

  text(text: string): string {
    const plain = PATTERNS.reduce((masked, [pattern, shown]) => masked.replace(pattern, shown), redact(text));
    const parts = [...this.#partsAnywhere(plain), ...this.#asWord.flatMap((form) => wordsIn(plain, form))];
    return without(plain, parts);
  }

  /** Masks each line alone, so each line of a secret with several lines must have been given as a secret, too. */
  lines(lines: readonly string[]): string[] {
    return lines.map((line) => this.text(line));
  }

  /** Masks the strings of a record, but no string that equals a short secret: it is probably a name, such as a status. */
  json(record: object): string {
    const json = JSON.stringify(record);
    return this.text(json) === json ? json : JSON.stringify(this.#within(JSON.parse(json)));
  }

  #partsAnywhere(text: string): Part[] {
    const parts: Part[] = [];
    if (this.#starts === undefined) return parts;
    this.#starts.lastIndex = 0;
    for (let found = this.#starts.exec(text); found; found = this.#starts.exec(text)) {
      const { 0: start, index } = found;
      for (const form of this.#anywhere.get(start) ?? []) {
        if (text.startsWith(form, index)) parts.push([index, index + form.length]);
      }
      this.#starts.lastIndex = index + 1;
    }
    return parts;
  }

  #within(value: unknown): unknown {
    if (typeof value === 'string') return this.#asWord.includes(value) ? value : this.text(value);
    if (Array.isArray(value)) return value.map((each) => this.#within(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [this.#within(name), this.#within(each)]));
  }
}

const LETTER = /[\p{L}\p{N}_]/u;

function wordsIn(text: string, form: string): Part[] {
  const words: Part[] = [];
  for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1)) {
    const end = at + form.length;
    if (![text.charAt(at - 1), text.charAt(end)].some((each) => LETTER.test(each))) words.push([at, end]);
  }
  return words;
}

function without(text: string, parts: readonly Part[]): string {
  let [masked, done] = ['', 0];
  for (const [from, to] of parts.toSorted(([a], [b]) => a - b)) {
    if (from >= done) masked += `${text.slice(done, from)}…`;
    done = Math.max(done, to);
  }
  return masked + text.slice(done);
}

export function maskText(text: string, env?: NodeJS.ProcessEnv): string {
  return new Mask(secretValuesInEnvironment(env)).text(text);
}

const MAX_SECRET = 8192;

/**
 * For a text that is masked later. Returns a text of at most `limit` characters unchanged. From a longer text, returns
 * the end, without the first, cut line. If the end has no line break, its first 8,192 characters are left out instead,
 * because a secret may have been cut.
 */
export function tailWithoutPartialSecret(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const kept = text.slice(-limit);
  const line = kept.indexOf('\n');
  return line === -1 ? kept.slice(MAX_SECRET) : kept.slice(line + 1);
}
