import type { ContractNames } from './contract-names.ts';

/** Levels of a value that are written. */
const DEEPEST = 100;
/** Numbers that say what a request asks for and what it cost, and nothing of anybody. */
const MEASURES = new Set([
  ...['n', 'seconds', 'duration', 'take', 'index', 'limit', 'temperature', 'max_tokens', 'cfg_scale', 'credits_spent'],
]);
const MOST = 100_000;
/** A prefix, and what is drawn. */
const ID = /^([A-Za-z]{2,12})_[0-9A-Za-z_+/=-]{4,}$/;
const ID_NAME = /^id$|(?:_id|Id)$/;
const SIGNING = /sig|token|hmac|policy/i;
/** Of no machine. */
const HOST = 'https://host.invalid/';

/** Form of a text, and what is written in the place of all texts of that form; the first that fits. */
const FORMS: readonly (readonly [RegExp, (text: string) => string])[] = [
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?Z$/, () => '2020-01-01T00:00:00Z'],
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/, () => '2020-01-01T00:00:00.000Z'],
  [/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/, () => '2020-01-01T00:00'],
  [/^https?:\/\//, addressLike],
  [/^data:/, () => 'data:,'],
  [/^[0-9a-f]{16,}$/i, ({ length }) => '0'.repeat(Math.min(length, 1000))],
  [/^[A-Za-z0-9+/]{64,}=*$/, () => 'Q'.repeat(64)],
  [/^whsec_/, () => 'whsec_…'],
  [/^Bearer /, (text) => `Bearer ${lengthOf(text.slice('Bearer '.length))}`],
];

/**
 * Writes values by what they are: what the contract names stays, an id becomes a number of its own behind its prefix, and
 * of everything else its type, form and length are left.
 */
export class PlainValues {
  readonly #names: ContractNames;
  readonly #ids = new Map<string, string>();

  constructor(names: ContractNames) {
    this.#names = names;
  }

  /** `name` is that of the field, empty where it has none that the contract names. */
  value(value: unknown, name = '', depth = 0): unknown {
    if (typeof value === 'string') return this.text(value, name);
    if (typeof value === 'number') return plainNumber(value, name);
    if (typeof value !== 'object' || value === null) return value;
    if (depth === DEEPEST) return '… [deeper than 100 levels]';
    if (Array.isArray(value)) return value.map((each) => this.value(each, name, depth + 1));
    const fields: [string, unknown][] = [];
    const taken = new Set<string>();
    for (const [key, each] of Object.entries(value)) {
      const isKnown = this.#names.fields.has(key);
      const plain = isKnown ? key : unused(`other_${[...key].length}`, taken);
      taken.add(plain);
      fields.push([plain, this.value(each, isKnown ? key : '', depth + 1)]);
    }
    return Object.fromEntries(fields);
  }

  text(text: string, name = ''): string {
    if (text === '' || this.#names.words.has(text)) return text;
    if (MEASURES.has(name) && /^\d{1,5}$/.test(text)) return text;
    if (name === 'param' && text.split('.').every((step) => /^\d{1,5}$/.test(step) || this.#names.fields.has(step))) {
      return text;
    }
    const id = this.#id(text, name);
    if (id !== undefined) return id;
    const [, written] = FORMS.find(([form]) => form.test(text)) ?? [];
    if (written) return written(text);
    // A service may have a word of its own for what the contract has a word for.
    if (this.#names.closed.has(name) && /^[A-Za-z][\w.+-]{0,39}$/.test(text)) return `other-${text.length}`;
    return lengthOf(text);
  }

  /** One id is the same everywhere in a recording. */
  #id(text: string, name: string): string | undefined {
    const [, prefix = ''] = ID.exec(text) ?? [];
    const isKnown = this.#names.prefixes.has(prefix);
    if (prefix === '' || !(isKnown || (ID_NAME.test(name) && prefix !== 'whsec'))) return undefined;
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const plain = `${isKnown ? prefix : 'other'}_${String(this.#ids.size + 1).padStart(6, '0')}`;
    this.#ids.set(text, plain);
    return plain;
  }
}

/** As many digits, all of them 1: a time in seconds stays one. */
function plainNumber(value: number, name: string): number {
  if (MEASURES.has(name) && Math.abs(value) < MOST) return value;
  if (!Number.isInteger(value)) return value < 0 ? -1.5 : 1.5;
  if (value === 0) return 0;
  const digits = String(Math.abs(value)).replaceAll(/\D/g, '').length;
  return Number('1'.repeat(Math.min(digits, 15))) * Math.sign(value);
}

export function lengthOf(text: string): string {
  return `… [${[...text].length} characters]`;
}

/** A URL of another host, which is signed where this one is. */
function addressLike(text: string): string {
  const names = URL.canParse(text) ? [...new URL(text).searchParams.keys()] : [];
  return `${HOST}…${names.some((name) => SIGNING.test(name)) ? '?sig=…' : ''}`;
}

function unused(name: string, taken: ReadonlySet<string>): string {
  for (let n = 1; ; n += 1) {
    const plain = n === 1 ? name : `${name}_${n}`;
    if (!taken.has(plain)) return plain;
  }
}
