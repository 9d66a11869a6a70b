import { Choices } from '../pieces/choices.tsx';
import { SearchField } from '../pieces/search-field.tsx';
import { useFilter } from '../pieces/use-filter.ts';

interface ListToolsProps {
  /** What the search is for. */
  label: string;
  outcomes?: readonly (readonly [string, string])[];
}

/** Search and filters of a list, below the head of its page. */
export function ListTools({ label, outcomes }: ListToolsProps) {
  const [text, setText] = useFilter('q');
  const [outcome, setOutcome] = useFilter('outcome', 'all');
  return (
    <div className="hook-tools">
      <SearchField label={label} value={text} onChange={setText} />
      {outcomes && <Choices label="Outcome" value={outcome} options={outcomes} onChange={setOutcome} />}
    </div>
  );
}
