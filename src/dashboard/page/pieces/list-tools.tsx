import type { ReactNode } from 'react';
import { Choices } from './choices.tsx';
import { SearchBox } from './search-box.tsx';
import { useFilter } from './use-filter.ts';

interface ListToolsProps {
  /** What the search is for. */
  label: string;
  /** One of a few that the list is narrowed to: what it is called, and value and text of each; the first is all. */
  choices?: { name: string; label: string; options: readonly (readonly [string, string])[] };
  children?: ReactNode;
}

/** The search of a list and what narrows it, below the head of its page. */
export function ListTools({ label, choices, children }: ListToolsProps) {
  const [q, setQ] = useFilter('q');
  return (
    <div className="row wrap ruled padded">
      <SearchBox label={label} value={q} onChange={setQ} />
      {choices && <FilterChoices {...choices} />}
      {children}
    </div>
  );
}

/** One of a few, in the address. */
export function FilterChoices({ name, label, options }: NonNullable<ListToolsProps['choices']>) {
  const [value, choose] = useFilter(name, options[0]?.[0]);
  return <Choices label={label} value={value} options={options} onChange={choose} />;
}
