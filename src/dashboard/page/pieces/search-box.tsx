import { Search } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { isModified, isWriting, later, type Stop, useKeys } from '../data/browser.ts';
import { Button } from './page-parts.tsx';
import { drawMatches, formatNumber } from './values.tsx';

interface SearchBoxProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  count?: ReactNode;
  hint?: string;
}

/** Milliseconds after the last key. */
const PAUSE = 120;

/** `/` focuses the box, the down arrow moves to the list, Escape clears it. */
export function SearchBox({ label, value, onChange, count, hint = label }: SearchBoxProps) {
  const field = useRef<HTMLInputElement>(null);
  const [written, setWritten] = useDraftQuery(value, onChange);
  useKeys((event) => {
    if (event.key !== '/' || isModified(event) || isWriting(event.target)) return;
    event.preventDefault();
    field.current?.select();
    field.current?.focus();
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') {
      event.preventDefault();
      document.querySelector<HTMLElement>('.list, [role="listbox"]')?.focus();
    }
    if (event.key !== 'Escape') return;
    event.preventDefault();
    setWritten('', 0);
    field.current?.blur();
  };
  return (
    <div className="search-box">
      <Search aria-hidden />
      <div className="search-paint" aria-hidden>
        {drawMatches(written, TERM, ([text]) => {
          const { isToken, isWhole } = readTerm(text);
          return isToken ? <b data-part={isWhole ? undefined : ''}>{text}</b> : text;
        })}
      </div>
      <input
        ref={field}
        type="search"
        aria-label={label}
        placeholder={hint}
        value={written}
        spellCheck={false}
        onChange={(event) => setWritten(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {count && <span className="search-count soft small">{count}</span>}
    </div>
  );
}

/**
 * Calls `onChange` after a pause in typing. The address follows, so only a value that was set elsewhere replaces the text.
 */
function useDraftQuery(value: string, onChange: (value: string) => void) {
  const [written, setWritten] = useState(value);
  const sent = useRef(value);
  const notify = useRef(onChange);
  const due = useRef<Stop>(undefined);
  useEffect(() => {
    notify.current = onChange;
  });
  useEffect(() => {
    if (value === sent.current) return;
    due.current?.();
    sent.current = value;
    setWritten(value);
  }, [value]);
  useEffect(() => () => due.current?.(), []);
  const write = (text: string, pause = PAUSE) => {
    setWritten(text);
    due.current?.();
    due.current = later(pause, () => {
      sent.current = text;
      notify.current(text);
    });
  };
  return [written, write] as const;
}

interface NearestProps {
  offers: readonly { q: string; found: number }[];
  onSearch: (q: string) => void;
}

export function NearestSearches({ offers, onSearch }: NearestProps) {
  if (offers.length === 0) return null;
  return (
    <ul className="row wrap" aria-label="Suggested searches">
      {offers.map(({ q, found }) => (
        <li key={q}>
          <Button onClick={() => onSearch(q)}>
            {q} <span className="soft">{formatNumber(found)} found</span>
          </Button>
        </li>
      ))}
    </ul>
  );
}

const TOKEN = /^(?:status|model|account|path|is|has|took|after):\S*$/i;

const TERM = /(?:[a-z]+:)?"[^"]*"?|\S+|\s+/giu;

const WHOLE: readonly RegExp[] = [
  /^is:(?:failed|done|open|waiting|refused|retry|cut)$/i,
  /^has:(?:refund|fault|warning|charge|job)$/i,
  /^status:(?:\d|\dxx|\d{3})$/i,
  /^(?:model|account|path):./i,
  /^took:[<>]?=?\d+(?:\.\d+)?(?:ms|s|min|h|d)?$/,
  /^after:(?:\d+(?:ms|s|min|h|d)|\d\d?:\d\d(?::\d\d)?|\d{4}-\d\d-\d\d.*)$/,
];

function readTerm(text: string): { isToken: boolean; isWhole: boolean } {
  const isToken = TOKEN.test(text);
  return { isToken, isWhole: !isToken || WHOLE.some((whole) => whole.test(text)) };
}

export function termsOf(q: string): string[] {
  return (q.match(TERM) ?? []).filter((text) => text.trim() !== '');
}

export function completeTerms(q: string): string {
  return q.replaceAll(TERM, (text) => (readTerm(text).isWhole ? text : '')).trim();
}

export function wordsOf(q: string): string[] {
  const plain = termsOf(q).filter((text) => !readTerm(text).isToken);
  return plain.map((text) => text.replaceAll('"', '')).filter(Boolean);
}

export function withToken(q: string, token: string, isOn: boolean): string {
  const others = termsOf(q).filter((text) => text !== token);
  return (isOn ? [...others, token] : others).join(' ');
}

export function Marked({ text, words }: { text: string; words: readonly string[] }) {
  if (words.length === 0) return text;
  const plain = words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return drawMatches(text, new RegExp(plain.join('|'), 'giu'), ([word]) => <mark>{word}</mark>);
}
