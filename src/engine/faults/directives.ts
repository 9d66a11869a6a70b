import { ERROR_CODE_PATTERN } from '../../base/schemas.ts';
import { editDistance } from '../../base/text.ts';

export interface Directives {
  fail?: { code: string; take?: number };
  /** What is rejected: the request, or the lyrics that the songwriter wrote. */
  block?: 'request' | 'lyrics';
  /** The delay of the result, in seconds of the emulator's clock. */
  slowSeconds?: number;
  status?: number;
  /** The least size of the rendered file, in bytes. A request for more than `MAX_RENDER_BYTES` is rejected. */
  bytes?: number;
}

export interface TextAndDirectives {
  text: string;
  directives: Directives;
}

const DEFAULT_CODE = 'render_failed';
/**
 * The most characters that are read for a directive. Every valid directive is shorter, and any text is read in linear
 * time.
 */
const MAX_DIRECTIVE = 80;
const TAKE = /^take=([12])$/;
const SECONDS = /^\d{1,6}(?:\.\d{1,3})?$/;
const STATUS = /^[45]\d\d$/;
const SIZE = /^(\d{1,12})(?:\.(\d{1,3}))? ?(B|KB|MB|KiB|MiB)?$/;
const UNITS: Record<string, number> = { B: 1, KB: 1000, MB: 1_000_000, KiB: 1024, MiB: 1_048_576 };

/** The largest render that the contract allows, in bytes. */
export const MAX_RENDER_BYTES = 10 * 1_048_576;

const readers: Record<string, (value: string | undefined) => Directives | undefined> = {
  fail: readFail,
  block: readBlock,
  slow: (value) => (value !== undefined && SECONDS.test(value) ? { slowSeconds: Number(value) } : undefined),
  status: (value) => (value !== undefined && STATUS.test(value) ? { status: Number(value) } : undefined),
  bytes: readBytes,
};

/**
 * Removes directives from a text. A malformed directive (unknown name, invalid number, status outside 400 to 599, take
 * other than 1 or 2) stays in the text. White space around a removed directive is joined [I094 I152].
 */
export function extractDirectives(text: string): TextAndDirectives {
  let open = text.indexOf('[[');
  let directives: Directives = {};
  const kept: string[] = [];
  let from = 0;
  while (open !== -1) {
    const found = directiveAt(text, open);
    if (found) {
      directives = mergeDirectives(directives, found.directives);
      if (open > from) kept.push(text.slice(from, open));
      from = closeGap(kept, text, found.end);
    }
    open = text.indexOf('[[', found ? from : open + 1);
  }
  kept.push(text.slice(from));
  return { text: kept.join(''), directives };
}

export function mergeDirectives(a: Directives, b: Directives): Directives {
  const merged: Directives = { ...a, ...b };
  if (a.fail && b.fail) merged.fail = mergeFail(a.fail, b.fail);
  if (a.block === 'request') merged.block = 'request';
  return merged;
}

/** Together, `[[fail:take=2]]` and `[[fail:content_blocked]]` make take 2 fail with `content_blocked`. */
function mergeFail(a: { code: string; take?: number }, b: { code: string; take?: number }) {
  const code = b.code === DEFAULT_CODE ? a.code : b.code;
  const take = b.take ?? a.take;
  return take === undefined ? { code } : { code, take };
}

function directiveAt(text: string, open: number) {
  const near = text.slice(open + 2, open + MAX_DIRECTIVE);
  const close = near.indexOf(']]');
  if (close === -1) return undefined;
  const body = near.slice(0, close);
  const colon = body.indexOf(':');
  const name = colon === -1 ? body : body.slice(0, colon);
  const value = colon === -1 ? undefined : body.slice(colon + 1);
  const directives = Object.hasOwn(readers, name) ? readers[name]?.(value) : undefined;
  return directives && { directives, end: open + 2 + close + 2 };
}

function readFail(value: string | undefined): Directives | undefined {
  if (value === undefined) return { fail: { code: DEFAULT_CODE } };
  const take = TAKE.exec(value)?.[1];
  if (take) return { fail: { code: DEFAULT_CODE, take: Number(take) } };
  return ERROR_CODE_PATTERN.test(value) ? { fail: { code: value } } : undefined;
}

function readBytes(value: string | undefined): Directives | undefined {
  const [, whole, part = '0', unit = 'B'] = SIZE.exec(value ?? '') ?? [];
  return whole === undefined ? undefined : { bytes: Math.floor(Number(`${whole}.${part}`) * (UNITS[unit] ?? 1)) };
}

function readBlock(value: string | undefined): Directives | undefined {
  if (value === undefined) return { block: 'request' };
  return value === 'lyrics' ? { block: 'lyrics' } : undefined;
}

/** Joins the white space around a removed directive. Returns the position from which the rest of the text is kept. */
function closeGap(kept: string[], text: string, from: number): number {
  const before = kept.at(-1) ?? '';
  if (before !== '' && gapBefore(before) === 0) return from;
  const endsLine = before.endsWith(' ') && text[from] !== ' ' && gapAt(text, from) > 0;
  if (from < text.length && !endsLine) return from + gapAt(text, from);
  const trimmed = before.slice(0, before.length - gapBefore(before));
  kept.pop();
  if (trimmed !== '') kept.push(trimmed);
  return from;
}

function gapAt(text: string, at: number): number {
  return text.startsWith('\r\n', at) ? 2 : isGap(text[at]);
}

function gapBefore(text: string): number {
  return text.endsWith('\r\n') ? 2 : isGap(text.at(-1));
}

function isGap(char: string | undefined): number {
  return char === ' ' || char === '\n' || char === '\t' ? 1 : 0;
}

/** `written` and `nearest` do not contain the double brackets. */
export interface MistypedDirective {
  written: string;
  nearest: string;
}

const NAMES = ['fail', 'block', 'slow', 'status', 'bytes'] as const;
type Name = (typeof NAMES)[number];

const MAX_NAME = 8;
const BRACKETED = /\[\[(?=([^[\]\r\n]{1,76})\]\])/g;
const ATTEMPT = /^([a-z0-9_-]+)(?:\s{0,9}[:=](.*)|\s{1,9}(-?\d.*))?$/i;

export function findMistypedDirectives(text: string): MistypedDirective[] {
  const written = new Set([...text.matchAll(BRACKETED)].map(([, inside = '']) => inside));
  return [...written].flatMap((inside) => {
    const nearest = nearestDirective(inside);
    return nearest === undefined || nearest === inside ? [] : [{ written: inside, nearest }];
  });
}

function nearestDirective(inside: string): string | undefined {
  const [, given = '', stated, number] = ATTEMPT.exec(inside.trim()) ?? [];
  const value = (stated ?? number)?.trim();
  const word = given.toLowerCase();
  if (word === '' || word.length > MAX_NAME) return undefined;
  const name = NAMES.find((each) => each === word) ?? NAMES.find((each) => editDistance(word, each) === 1);
  if (name === undefined) return undefined;
  const whole = value === undefined ? name : `${name}:${value}`;
  return isDirective(whole) ? whole : withValidValue(name, value ?? '');
}

function isDirective(inside: string): boolean {
  return extractDirectives(`[[${inside}]]`).text === '';
}

function withValidValue(name: Name, value: string): string {
  switch (name) {
    case 'fail':
      return nearestFailure(value);
    case 'block':
      return /^l|lyric/i.test(value) ? 'block:lyrics' : 'block';
    case 'slow':
      return `slow:${within(value, { least: 0, most: 999_999, otherwise: 1 })}`;
    case 'status':
      return `status:${Math.trunc(within(value, { least: 400, most: 599, otherwise: 503 }))}`;
    case 'bytes':
      return nearestSize(value);
  }
}

function nearestFailure(value: string): string {
  const take = /^take\s*(?:[=:]\s*)?(-?\d+)$/i.exec(value)?.[1];
  if (take !== undefined) return `fail:take=${Number(take) < 2 ? 1 : 2}`;
  const code = value
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, '_')
    .slice(0, 64);
  return /[a-z0-9]/.test(code) ? `fail:${code}` : 'fail';
}

function nearestSize(value: string): string {
  const [, size = '3', unit = 'MB'] = /^(\d{1,12})\s*([a-z]*)$/i.exec(value) ?? [];
  return `bytes:${size}${Object.keys(UNITS).find((each) => each.toLowerCase() === unit.toLowerCase()) ?? 'MB'}`;
}

function within(value: string, { least, most, otherwise }: { least: number; most: number; otherwise: number }): number {
  const number = Number.parseFloat(value);
  if (Number.isNaN(number)) return otherwise;
  return Math.round(Math.min(most, Math.max(least, number)) * 1000) / 1000;
}
