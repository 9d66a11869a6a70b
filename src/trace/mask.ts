import { redact } from '../journal/redaction.ts';

/** What is shorter is masked where it stands as a word of its own, in what somebody wrote. */
const SHORTEST_ANYWHERE = 6;

const BEARER = /\b(Bearer\s+)[\w.~+/=-]{4,}/gi;
const HOOK = /(\/hooks\/flows\/)[\w-]+/g;
const MASK = '…';
const NEVER = /(?!)/;

/** A text without keys, signing secrets, bearer values and addresses of hooks. */
function plainly(text: string): string {
  return redact(text).replace(BEARER, `$1${MASK}`).replace(HOOK, `$1${MASK}`);
}

/** What somebody wrote or read, by the names under which a record keeps it: all below them is free text. */
const FREE = new Set([
  ...['title', 'failure', 'output', 'request', 'answer', 'path', 'name', 'prompt', 'words', 'text', 'url', 'message'],
  ...['envelope', 'payload', 'body', 'responseBody', 'response_body', 'error', 'inputs', 'outputs', 'detail', 'lyrics'],
]);

/** Hides what is secret: keys, signing secrets, bearer values, addresses of hooks, and these values. */
export class Mask {
  readonly #anywhere: RegExp | undefined;
  readonly #asWord: RegExp | undefined;

  constructor(secrets: readonly string[]) {
    this.#anywhere = patternOf(secrets.filter(({ length }) => length >= SHORTEST_ANYWHERE));
    this.#asWord = patternOf(secrets.filter(({ length }) => length < SHORTEST_ANYWHERE));
  }

  /** What somebody wrote, however a secret is spelled in it: by escapes, as in a URL, or in base64. */
  text(text: string): string {
    return this.#hidden(plainly(text), true);
  }

  /** A record as JSON. */
  json(record: object): string {
    const json = plainly(JSON.stringify(record));
    if (json.search(this.#anywhere ?? NEVER) === -1 && json.search(this.#asWord ?? NEVER) === -1) return json;
    return JSON.stringify(this.#within(JSON.parse(json), false));
  }

  /** Texts only: a number, or a name of a field, that looks the same is none of it. */
  #within(value: unknown, isFree: boolean): unknown {
    if (typeof value === 'string') return this.#hidden(value, isFree);
    if (Array.isArray(value)) return value.map((each) => this.#within(each, isFree));
    if (typeof value !== 'object' || value === null) return value;
    const fields = Object.entries(value).map(([name, each]) => [
      isFree ? this.#hidden(name, true) : name,
      this.#within(each, isFree || FREE.has(name)),
    ]);
    return Object.fromEntries(fields);
  }

  #hidden(text: string, isFree: boolean): string {
    const hidden = this.#anywhere ? text.replaceAll(this.#anywhere, MASK) : text;
    return this.#asWord && isFree ? hidden.replaceAll(this.#asWord, MASK) : hidden;
  }
}

/** Finds any of these, the longest first: one may be part of another. Undefined where there are none. */
function patternOf(secrets: readonly string[]): RegExp | undefined {
  const longestFirst = secrets.toSorted((a, b) => b.length - a.length);
  const forms = longestFirst.flatMap((secret) => {
    const spelled = [...secret].map(anyhow).join('');
    if (secret.length < SHORTEST_ANYWHERE) return [`(?<![\\p{L}\\p{N}])${spelled}(?![\\p{L}\\p{N}])`];
    return [spelled, ...inBase64(secret)];
  });
  return forms.length === 0 ? undefined : new RegExp(forms.join('|'), 'gu');
}

/** What JSON makes of these in its short way. */
const SHORT_ESCAPES: Record<string, string> = { '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f' };

/** A letter as it is, by an escape of JSON at any depth, or as a URL has it. */
function anyhow(letter: string): string {
  const plain = letter.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
  const units = Array.from({ length: letter.length }, (_, at) => letter.charCodeAt(at).toString(16).padStart(4, '0'));
  const escaped = units.map((hex) => `\\\\{1,16}u${anyCase(hex)}`).join('');
  const inUrl = [...Buffer.from(letter)].map((byte) => `%${anyCase(byte.toString(16).padStart(2, '0'))}`).join('');
  const short = SHORT_ESCAPES[letter];
  const more = [...(short ? [`\\\\{1,16}${short}`] : []), ...(letter === ' ' ? ['\\+'] : [])];
  const before = '\\"/'.includes(letter) ? '\\\\{0,16}' : '';
  return `(?:${[before + plain, escaped, inUrl, ...more].join('|')})`;
}

function anyCase(hex: string): string {
  return [...hex].map((digit) => (/[a-f]/.test(digit) ? `[${digit}${digit.toUpperCase()}]` : digit)).join('');
}

/** Base64 goes by threes: what stands before decides in which of three ways a text is written; its rims are its neighbours'. */
function inBase64(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replaceAll('=', '');
    const from = Math.ceil((before * 8) / 6);
    const certain = whole.slice(from, Math.floor(((before + bytes.length) * 8) / 6));
    if (certain.length < SHORTEST_ANYWHERE) return [];
    return [certain.replace(/[+/]/g, (sign) => (sign === '+' ? '(?:\\+|-|%2[Bb])' : '(?:\\\\{0,16}\\/|_|%2[Ff])'))];
  });
}
