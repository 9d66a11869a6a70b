import { Fragment } from 'react';
import { PageStore } from '../data/page-store.ts';

/** Filter names: what follows the colon is not a search word. */
const TOKEN = /^(?:status|model|account|path|is|has|took|after):\S*$/i;

const TERM = /(?:[a-z]+:)?"[^"]*"?|\S+|\s+/giu;

/** A complete token; others are still being typed. */
const WHOLE: readonly RegExp[] = [
  /^is:(?:failed|done|open|waiting|refused|retry|cut)$/i,
  /^has:(?:refund|fault|warning|charge|job)$/i,
  /^status:(?:\d|\dxx|\d{3})$/i,
  /^(?:model|account|path):./i,
  /^took:[<>]?=?\d+(?:\.\d+)?(?:ms|s|min|h|d)?$/,
  /^after:(?:\d+(?:ms|s|min|h|d)|\d\d?:\d\d(?::\d\d)?|\d{4}-\d\d-\d\d.*)$/,
];

/** The parts of a search, blanks included. */
export function partsOf(q: string): { text: string; isToken: boolean; isWhole: boolean }[] {
  return [...q.matchAll(TERM)].map(([text]) => {
    const isToken = TOKEN.test(text);
    return { text, isToken, isWhole: !isToken || WHOLE.some((whole) => whole.test(text)) };
  });
}

/** The search without tokens that are still being typed. */
export function completeTerms(q: string): string {
  const whole = partsOf(q).flatMap(({ text, isWhole }) => (isWhole ? [text] : []));
  return whole.join('').trim();
}

/** The words of a search, without its tokens. */
export function wordsOf(q: string): string[] {
  const plain = partsOf(q).filter(({ text, isToken }) => !isToken && text.trim() !== '');
  return plain.map(({ text }) => text.replaceAll('"', '')).filter(Boolean);
}

/** Adds a token to a search, or removes it. */
export function withToken(q: string, token: string, isOn: boolean): string {
  const others = partsOf(q).flatMap(({ text }) => (text.trim() === '' || text === token ? [] : [text]));
  return (isOn ? [...others, token] : others).join(' ');
}

/** A text with the searched words highlighted. */
export function Marked({ text, words }: { text: string; words: readonly string[] }) {
  if (words.length === 0) return text;
  const parts = text.split(patternOf(words));
  return parts.map((part, at) => {
    const key = `${at} ${part}`;
    return at % 2 === 1 ? <mark key={key}>{part}</mark> : <Fragment key={key}>{part}</Fragment>;
  });
}

function patternOf(words: readonly string[]): RegExp {
  const plain = words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`(${plain.join('|')})`, 'giu');
}

/** What the user typed after `/` while the page was still loading; undefined if `/` was not pressed. */
class EarlySearch extends PageStore<string | undefined> {
  /** Takes a key that no box can take yet; answers whether it did. */
  press(key: string): boolean {
    if (!document.querySelector('#area > .loading')) {
      this.set(undefined);
      return false;
    }
    if (this.value === undefined && key !== '/') return false;
    if (this.value === undefined) this.set('');
    else if (key.length === 1) this.set(this.value + key);
    else if (key === 'Backspace') this.set(this.value.slice(0, -1));
    return true;
  }

  /** What was written so far, for the box that is there now. */
  take(): string | undefined {
    const { value } = this;
    this.set(undefined);
    return value;
  }
}

export const earlySearch = new EarlySearch(undefined);
