import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { callControl } from '../data/call-api.ts';
import { useAccounts, WELL_KNOWN_KEY } from '../data/chosen-account.ts';
import { useAct } from '../data/queries.ts';
import { Button } from '../pieces/button.tsx';
import { say, sayError } from '../pieces/toast.tsx';
import { CopyValue } from './copy-value.tsx';

/** The key of the chosen account: the well-known one, or one made here, which is known as long as this page is open. */
export function KeyInBar() {
  const { account, isFirst } = useAccounts();
  const [made, setMade] = useState<Record<string, string>>({});
  const make = useAct(
    (id: string) => callControl<{ api_key: string }>('POST', `/accounts/${id}/keys`),
    () => say('A key was made', 'It is shown here until you close this page.'),
  );
  if (!account) return null;
  const key = made[account.id] ?? (isFirst ? WELL_KNOWN_KEY : undefined);
  if (key) return <CopyValue label="key" text={key} short={isFirst ? key : `${key.slice(0, 14)}…`} />;
  const keep = ({ api_key }: { api_key: string }) => setMade({ ...made, [account.id]: api_key });
  return (
    <Button
      icon={<KeyRound aria-hidden />}
      onClick={() => make.mutate(account.id, { onSuccess: keep, onError: sayError })}
    >
      Make a key
    </Button>
  );
}
