import { Search } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { later, type Stop } from '../data/browser-time.ts';
import { isModified, isWriting, useKeys } from './browser-hooks.ts';
import { Button } from './button.tsx';
import { earlySearch, partsOf } from './search-terms.tsx';
import { formatNumber } from './values.tsx';

interface SearchBoxProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** The number of results, shown at its end. */
  count?: ReactNode;
  /** The placeholder, when the search takes more than words. */
  hint?: string;
}

/** The pause in typing after which the search runs, in milliseconds. */
const PAUSE = 120;

/** The search of a list, by words and tokens. `/` focuses it, the down arrow moves to the list, Escape clears it. */
export function SearchBox({ label, value, onChange, count, hint = label }: SearchBoxProps) {
  const field = useRef<HTMLInputElement>(null);
  const [written, setWritten] = useDraftQuery(value, onChange);
  useKeys((event) => {
    if (event.key !== '/' || isModified(event) || isWriting(event.target)) return;
    event.preventDefault();
    field.current?.select();
    field.current?.focus();
  });
  useEarlyTyping(field, setWritten);
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
        {partsOf(written).map(({ text, isToken, isWhole }, at) => {
          const key = `${at} ${text}`;
          return isToken ? (
            <b key={key} data-part={isWhole ? undefined : ''}>
              {text}
            </b>
          ) : (
            <span key={key}>{text}</span>
          );
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
 * What stands in the box, told once the writing pauses. The address answers each telling: only a value that was not told
 * from here replaces what is written, which may be longer by now; and a page that is drawn anew puts no telling off.
 */
function useDraftQuery(value: string, onChange: (value: string) => void) {
  const [written, setWritten] = useState(value);
  const told = useRef(value);
  const tell = useRef(onChange);
  const due = useRef<Stop>(undefined);
  useEffect(() => {
    tell.current = onChange;
  });
  useEffect(() => {
    if (value === told.current) return;
    due.current?.();
    told.current = value;
    setWritten(value);
  }, [value]);
  useEffect(() => () => due.current?.(), []);
  const write = (text: string, pause = PAUSE) => {
    setWritten(text);
    due.current?.();
    due.current = later(pause, () => {
      told.current = text;
      tell.current(text);
    });
  };
  return [written, write] as const;
}

/** Takes over what the user typed before the box was rendered. */
function useEarlyTyping(field: { current: HTMLInputElement | null }, write: (text: string) => void): void {
  const first = useRef(write);
  useEffect(() => {
    const early = earlySearch.take();
    if (early === undefined) return;
    field.current?.focus();
    if (early !== '') first.current(early);
  }, [field]);
}

/** Similar searches that have results, offered when a search has none. */
export function NearestSearches({
  offers,
  onSearch,
}: {
  offers: readonly { q: string; found: number }[];
  onSearch: (q: string) => void;
}) {
  if (offers.length === 0) return null;
  return (
    <ul className="row wrap" aria-label="Nearest searches">
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
