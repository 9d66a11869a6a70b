import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { callControl } from '../data/call-api.ts';
import type { Account } from '../data/records.ts';
import { Button } from '../pieces/button.tsx';
import { ChoiceField } from '../pieces/choice-field.tsx';
import { FormField } from '../pieces/form-field.tsx';
import { NumberField } from '../pieces/number-field.tsx';
import { PLANS } from '../pieces/plan-field.tsx';
import { PopupForm } from '../pieces/popup-form.tsx';
import { type MadeKey, ROLES } from './people-records.ts';

interface NewAccountFormProps {
  /** Joins it; without it the account is the owner of a new one. */
  workspaceId?: string;
  onMade: (key: MadeKey) => void;
}

/** An account with a key of its own. */
export function NewAccountForm({ workspaceId, onMade }: NewAccountFormProps) {
  const [name, setName] = useState('');
  const [credits, setCredits] = useState('50');
  const [plan, setPlan] = useState('payg');
  const [role, setRole] = useState('member');
  const place = workspaceId === undefined ? { plan } : { workspace_id: workspaceId, role };
  const send = async () => {
    const order = { ...place, ...(name && { name }), credits: Number(credits) };
    const made = await callControl<Account & { api_key: string }>('POST', '/accounts', order);
    setName('');
    onMade({ accountId: made.id, text: made.api_key });
  };
  const isNew = workspaceId === undefined;
  return (
    <PopupForm
      trigger={
        <Button look={isNew ? 'primary' : 'plain'} icon={<UserPlus aria-hidden />}>
          {isNew ? 'New account' : 'Add a person'}
        </Button>
      }
      title={isNew ? 'New account' : 'Add a person'}
      note={isNew ? 'The owner of a workspace of its own.' : 'An account of its own in this workspace.'}
      action="Make the account"
      onSend={send}
    >
      <FormField label="Name">
        <input className="input" maxLength={200} value={name} onChange={(event) => setName(event.target.value)} />
      </FormField>
      {isNew ? (
        <ChoiceField label="Plan" value={plan} options={PLANS} onChange={setPlan} />
      ) : (
        <ChoiceField label="Role" value={role} options={ROLES} onChange={setRole} />
      )}
      <NumberField label="Credits" value={credits} onChange={setCredits} max={1_000_000_000} />
    </PopupForm>
  );
}
