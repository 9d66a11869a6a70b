import { invalidRequestError, quoted } from '../../base/errors.ts';

/** `took` and `after` are in milliseconds, `after` by the machine's clock. */
export interface SearchQuery {
  words: readonly string[];
  status?: readonly [number, number];
  took?: readonly [number, number];
  after?: number;
  model?: string;
  account?: string;
  path?: string;
  traits: readonly IsOrHasTerm[];
}

export const IS_AND_HAS_TERMS = [
  'is:failed',
  'is:done',
  'is:open',
  'is:waiting',
  'is:refused',
  'is:retry',
  'is:cut',
  'has:refund',
  'has:fault',
  'has:warning',
  'has:charge',
  'has:job',
] as const;
export type IsOrHasTerm = (typeof IS_AND_HAS_TERMS)[number];

export const SEARCH_TERM_PATTERN = /(?<![a-z])([a-z]+):"([^"]*)"?|"([^"]*)"?|(\S+)/giu;
const MAX_TERMS = 20;
const UNITS: Record<string, number> = { ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 };
const LENGTH = /^([<>]?)=?(\d+(?:\.\d+)?)(ms|s|min|h|d)?$/;

const TOKENS = new Map<string, (value: string, now: number) => Partial<SearchQuery>>([
  ['status', (value) => ({ status: statusRange(value) })],
  ['took', (value) => ({ took: lengthRange(value) })],
  ['after', (value, now) => ({ after: momentOf(value, now) })],
  ['model', (model) => ({ model })],
  ['account', (account) => ({ account })],
  ['path', (path) => ({ path })],
]);

/** Throws `invalid_request` for a term with an invalid value. An unknown term is a word. */
export function parseSearch(q: string, now: number): SearchQuery {
  const words: string[] = [];
  const traits: IsOrHasTerm[] = [];
  const plain: Partial<SearchQuery> = {};
  for (const { name = '', value, whole } of parseSearchTerms(q)) {
    const isTrait = name === 'is' || name === 'has';
    const read = TOKENS.get(name);
    if (!isTrait && !read) words.push(...(whole === '' ? [] : [whole]));
    else if (isTrait && value !== '') traits.push(traitOf(`${name}:${value}`));
    else if (value !== '') Object.assign(plain, read?.(value, now));
  }
  return { ...plain, words, traits };
}

export function classifySearchTerm(text: string): 'word' | 'term' | 'wrong' {
  try {
    return parseSearch(text, 0).words.length > 0 ? 'word' : 'term';
  } catch {
    return 'wrong';
  }
}

export function parseSearchTerms(q: string) {
  const terms = [...q.matchAll(SEARCH_TERM_PATTERN)].map(([text, quotedName, quoted, phrase, plain = '']) => {
    if (phrase !== undefined) return { text, name: undefined, value: phrase, whole: phrase };
    const colon = plain.indexOf(':');
    const name = quotedName ?? (colon > 0 ? plain.slice(0, colon) : undefined);
    return { text, name: name?.toLowerCase(), value: quoted ?? plain.slice(colon + 1), whole: text };
  });
  return [...new Map(terms.map((term) => [term.text, term])).values()].slice(0, MAX_TERMS);
}

function statusRange(value: string): readonly [number, number] {
  if (/^[0-9](?:xx|[0-9]{2})?$/i.test(value)) return statusRangeOf(value);
  throw unreadable('status', value, 'a status such as 402, or a class such as 5xx');
}

/** `value` is a status, or a class such as `5xx`. */
export function statusRangeOf(value: string): readonly [number, number] {
  const first = Number(value.replace(/xx$/i, '00'));
  return /xx$/i.test(value) ? [first, first + 99] : [first, first];
}

function lengthRange(value: string): readonly [number, number] {
  const [, sign, digits, unit = 'ms'] = LENGTH.exec(value) ?? [];
  if (digits === undefined) throw unreadable('took', value, 'a length of time, such as >1s, <200ms or >2min');
  const ms = Number(digits) * (UNITS[unit] ?? 1);
  return sign === '<' ? [0, ms] : [ms, Number.MAX_SAFE_INTEGER];
}

function momentOf(value: string, now: number): number {
  const [, sign, digits, unit] = LENGTH.exec(value) ?? [];
  if (digits !== undefined && unit !== undefined && sign === '') return now - Number(digits) * (UNITS[unit] ?? 1);
  const [, hour, minute, second = '0'] = /^(\d\d?):(\d\d)(?::(\d\d))?$/.exec(value) ?? [];
  if (hour !== undefined) return new Date(now).setHours(Number(hour), Number(minute), Number(second), 0);
  const moment = /^\d{4}-/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(moment)) throw unreadable('after', value, 'a time, such as 10:30, 2030-01-31 or 5min (ago)');
  return moment;
}

function traitOf(text: string): IsOrHasTerm {
  const known = IS_AND_HAS_TERMS.find((trait) => trait === text.toLowerCase());
  if (known) return known;
  throw invalidRequestError('q', `${quoted(text)} is not a search term. Accepted: ${IS_AND_HAS_TERMS.join(', ')}.`);
}

function unreadable(name: string, value: string, expected: string) {
  return invalidRequestError('q', `${name}: in q must be ${expected}, not ${quoted(value)}.`);
}
