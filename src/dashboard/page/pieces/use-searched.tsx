import { SearchX } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { EmptyState } from './empty-state.tsx';
import { SearchField } from './search-field.tsx';
import { useFilter } from './use-filter.ts';

interface Searched<Row> {
  rows: readonly Row[];
  /** The field, in a line of its own; nothing for a list that is empty. */
  field: ReactNode;
  /** In place of rows where none is like what is typed. */
  none: ReactNode;
}

/** The search of a list that is on the page as a whole: rows in which each word stands somewhere. */
export function useSearched<Row extends object>(label: string, all: readonly Row[]): Searched<Row> {
  const [text, setText] = useFilter('q');
  const rows = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return all;
    const has = (row: Row) => {
      const said = JSON.stringify(row).toLowerCase();
      return words.every((word) => said.includes(word));
    };
    return all.filter(has);
  }, [all, text]);
  const field = (all.length > 0 || text !== '') && (
    <div className="tools">
      <SearchField label={label} value={text} onChange={setText} />
    </div>
  );
  const none = all.length > 0 && rows.length === 0 && (
    <EmptyState icon={SearchX} title="None of these is like this">
      <p>Change the search above.</p>
    </EmptyState>
  );
  return { rows, field, none };
}
