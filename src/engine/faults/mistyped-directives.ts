import { editDistance } from '../../base/config/edit-distance.ts';
import { extractDirectives } from './directives.ts';

/** What stands in double brackets as a directive would, and the nearest that is one; both without the brackets. */
export interface MistypedDirective {
  written: string;
  nearest: string;
}

const NAMES = ['fail', 'block', 'slow', 'status', 'bytes'] as const;
type Name = (typeof NAMES)[number];

/** Any longer word is far from every name. */
const LONGEST_NAME = 8;
/** At most 76 characters, as the longest directive has; a name, and what follows a colon, an equals sign or, of a number, a space. */
const BRACKETED = /\[\[(?=([^[\]\r\n]{1,76})\]\])/g;
const ATTEMPT = /^([a-z0-9_-]+)(?:\s{0,9}[:=](.*)|\s{1,9}(-?\d.*))?$/i;

/** The mistyped directives that are left in a text after `extractDirectives`, each once. Any text is read in linear time. */
export function findMistyped(text: string): MistypedDirective[] {
  const written = new Set([...text.matchAll(BRACKETED)].map(([, inside = '']) => inside));
  return [...written].flatMap((inside) => {
    const nearest = nearestDirective(inside);
    return nearest === undefined || nearest === inside ? [] : [{ written: inside, nearest }];
  });
}

/** Undefined where the name is not within one letter of a directive's: then it is a text in double brackets. */
function nearestDirective(inside: string): string | undefined {
  const [, given = '', stated, number] = ATTEMPT.exec(inside.trim()) ?? [];
  const value = (stated ?? number)?.trim();
  const word = given.toLowerCase();
  if (word === '' || word.length > LONGEST_NAME) return undefined;
  const name = NAMES.find((each) => each === word) ?? NAMES.find((each) => isOneLetterOff(word, each));
  if (name === undefined) return undefined;
  const whole = value === undefined ? name : `${name}:${value}`;
  return isDirective(whole) ? whole : withValidValue(name, value ?? '');
}

/** A letter added, left out, replaced, or changed over with the next. */
function isOneLetterOff(word: string, name: string): boolean {
  if (editDistance(word, name) === 1) return true;
  const swapped = [...word].map((_, at) => word.slice(0, at) + (word[at + 1] ?? '') + word[at] + word.slice(at + 2));
  return swapped.includes(name);
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

const UNITS = ['B', 'KB', 'MB', 'KiB', 'MiB'];

function nearestSize(value: string): string {
  const [, size = '3', unit = 'MB'] = /^(\d{1,12})\s*([a-z]*)$/i.exec(value) ?? [];
  return `bytes:${size}${UNITS.find((each) => each.toLowerCase() === unit.toLowerCase()) ?? 'MB'}`;
}

function within(value: string, { least, most, otherwise }: { least: number; most: number; otherwise: number }): number {
  const number = Number.parseFloat(value);
  if (Number.isNaN(number)) return otherwise;
  return Math.round(Math.min(most, Math.max(least, number)) * 1000) / 1000;
}
