import { useAccounts } from '../data/chosen-account.ts';
import { Choices } from '../pieces/choices.tsx';
import { useFilter } from '../pieces/use-filter.ts';

const OWNERS = [
  ['all', 'Every account'],
  ['mine', 'This account'],
] as const;

/** Whose things are shown: everybody's, or those of the account that the top bar names. */
export function useOwner() {
  const [owner, setOwner] = useFilter('of', 'all');
  const { account, accounts } = useAccounts();
  return {
    ...{ owner, setOwner },
    isChoice: accounts.length > 1,
    accountId: owner === 'mine' ? account?.id : undefined,
  };
}

export function OwnerChoice({ owner }: { owner: ReturnType<typeof useOwner> }) {
  if (!owner.isChoice) return null;
  return <Choices label="Whose" value={owner.owner} options={OWNERS} onChange={owner.setOwner} />;
}
