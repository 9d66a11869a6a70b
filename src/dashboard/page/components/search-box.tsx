import { Search } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { classifySearchTerm, SEARCH_TERM_PATTERN } from '../../../control/search/search-query.ts';
import { hasModifierKey, isInFormControl, setTimer, useGlobalKeyDown } from '../data/browser.ts';
import { renderTextMatches } from './values.tsx';

interface SearchBoxProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  count?: ReactNode;
  hint?: string;
}

/** Milliseconds from the last key to the search. */
const PAUSE = 120;

export function SearchBox({ label, value, onChange, count, hint = label }: SearchBoxProps) {
  const field = useRef<HTMLInputElement>(null);
  const [written, setWritten] = useDraftQuery(value, onChange);
  useGlobalKeyDown((event) => {
    if (event.key !== '/' || hasModifierKey(event) || isInFormControl(event.target)) return;
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
    setWritten('');
    field.current?.blur();
  };
  return (
    <div className="search-box">
      <Search aria-hidden />
      <div className="search-paint" aria-hidden>
        {renderTextMatches(written, SEARCH_TERM_PATTERN, ([text]) => {
          const kind = classifySearchTerm(text);
          return kind === 'word' ? text : <b data-part={kind === 'wrong' ? '' : undefined}>{text}</b>;
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
 * The text of the search box, and the function that changes it. A new `value` replaces the text only if it was set
 * elsewhere, such as by a link.
 */
function useDraftQuery(value: string, onChange: (value: string) => void) {
  const [written, setWritten] = useState(value);
  const sent = useRef(value);
  const send = useEffectEvent(() => {
    sent.current = written;
    onChange(written);
  });
  useEffect(() => (written === sent.current ? undefined : setTimer(PAUSE, send)), [written]);
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setWritten(value);
  }, [value]);
  return [written, setWritten] as const;
}

export function HighlightedText({ text, words }: { text: string; words: readonly string[] }) {
  if (words.length === 0) return text;
  const plain = words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return renderTextMatches(text, new RegExp(plain.join('|'), 'giu'), ([word]) => <mark>{word}</mark>);
}
