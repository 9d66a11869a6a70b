import { useState } from 'react';
import { callControl } from '../data/call-api.ts';
import { useAct } from '../data/queries.ts';
import type { Account } from '../data/records.ts';
import { Button } from '../pieces/button.tsx';
import { Choices } from '../pieces/choices.tsx';
import { NumberField } from '../pieces/number-field.tsx';
import { PopupForm } from '../pieces/popup-form.tsx';
import { sayError } from '../pieces/toast.tsx';
import type { ProgressionRecord } from './progression-record.ts';

const MODES = [
  ['render', 'Render'],
  ['seconds', 'Seconds'],
  ['polls', 'Polls'],
  ['manual', 'By hand'],
] as const;

const MEANINGS: Record<string, string> = {
  render: 'A job is final as soon as it is rendered.',
  seconds: "A job is final so many seconds after its order, by the emulator's clock.",
  polls: 'A job is final at this poll of its client.',
  manual: 'A job is final when somebody ends it here.',
};

const SCOPES = [
  ['all', 'All accounts'],
  ['own', 'This account'],
] as const;

interface ProgressionFormProps {
  account: Account;
  inForce: ProgressionRecord;
}

/** Changes how jobs come to their end, those under way included. */
export function ProgressionForm({ account, inForce }: ProgressionFormProps) {
  const [mode, setMode] = useState<string>(inForce.mode);
  const [value, setValue] = useState(String(inForce.value ?? 60));
  const isOwn = inForce.account_id !== undefined;
  const [scope, setScope] = useState(isOwn ? 'own' : 'all');
  const hasValue = mode === 'seconds' || mode === 'polls';
  const send = () =>
    callControl('PUT', '/progression', {
      mode,
      ...(hasValue ? { value: Number(value) } : {}),
      ...(scope === 'own' ? { account_id: account.id } : {}),
    });
  return (
    <div className="progression-tools">
      {isOwn && <AsAllButton account={account} />}
      <PopupForm
        trigger={<Button>Change</Button>}
        title="How jobs come to their end"
        note={MEANINGS[mode]}
        action="Set it"
        onSend={send}
      >
        <Choices label="Mode" value={mode} options={MODES} onChange={setMode} />
        {hasValue && (
          <NumberField
            label={mode === 'seconds' ? 'Seconds' : 'Polls'}
            value={value}
            onChange={setValue}
            min={mode === 'seconds' ? 0 : 1}
            step={mode === 'seconds' ? 'any' : 1}
          />
        )}
        <Choices label="Whose jobs move so" value={scope} options={SCOPES} onChange={setScope} />
      </PopupForm>
    </div>
  );
}

/** Takes the account's own progression away. */
function AsAllButton({ account }: { account: Account }) {
  const drop = useAct(() => callControl('PUT', '/progression', { mode: null, account_id: account.id }));
  return (
    <Button look="quiet" disabled={drop.isPending} onClick={() => drop.mutate(undefined, { onError: sayError })}>
      As all others
    </Button>
  );
}
