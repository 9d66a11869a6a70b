import { useAccounts } from '../data/chosen-account.ts';
import { Choices } from '../pieces/choices.tsx';
import { SearchField } from '../pieces/search-field.tsx';
import { useFilter } from '../pieces/use-filter.ts';

const OWNERS = [
  ['all', 'Every account'],
  ['mine', 'This account'],
] as const;

interface ListToolsProps {
  /** What the search is for. */
  label: string;
  outcomes?: readonly (readonly [string, string])[];
}

/** Search and filters of a list, below the head of its page. */
export function ListTools({ label, outcomes }: ListToolsProps) {
  const [text, setText] = useFilter('q');
  const [outcome, setOutcome] = useFilter('outcome', 'all');
  const [owner, setOwner] = useFilter('of', 'all');
  const { accounts } = useAccounts();
  return (
    <div className="hook-tools">
      <SearchField label={label} value={text} onChange={setText} />
      {outcomes && <Choices label="Outcome" value={outcome} options={outcomes} onChange={setOutcome} />}
      {accounts.length > 1 && <Choices label="Whose" value={owner} options={OWNERS} onChange={setOwner} />}
    </div>
  );
}

/** What narrows a list to the chosen account, where that is wanted. */
export function useOwner(): { account_id?: string | undefined } {
  const [owner] = useFilter('of', 'all');
  const { account } = useAccounts();
  return owner === 'mine' ? { account_id: account?.id } : {};
}
