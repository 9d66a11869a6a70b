import { UserPlus } from 'lucide-react';
import { callControl } from '../data/call-api.ts';
import type { Account } from '../data/records.ts';
import { PLANS } from '../pieces/plan-field.tsx';
import { PopupForm } from '../pieces/popup-form.tsx';
import { type MadeKey, ROLES } from './people-records.ts';

interface NewAccountFormProps {
  /** Joins it; without it the account is the owner of a new one. */
  workspaceId?: string;
  onMade: (key: MadeKey) => void;
}

const OWNER = { name: 'plan', label: 'Plan', type: 'options', options: PLANS.map(optionOf), value: 'payg' } as const;
const MEMBER = { name: 'role', label: 'Role', type: 'options', options: ROLES.map(optionOf), value: 'member' } as const;

function optionOf({ value, text, note }: (typeof ROLES)[number]): [string, string, string] {
  return [value, text, note];
}

/** An account with a key of its own. */
export function NewAccountForm({ workspaceId, onMade }: NewAccountFormProps) {
  const isNew = workspaceId === undefined;
  return (
    <PopupForm
      text={isNew ? 'New account' : 'Add a person'}
      icon={UserPlus}
      look={isNew ? 'primary' : 'plain'}
      note={isNew ? 'The owner of a workspace of its own.' : 'An account of its own in this workspace.'}
      action="Make the account"
      fields={[
        { name: 'name', label: 'Name', type: 'text', isOptional: true, maxLength: 200 },
        isNew ? OWNER : MEMBER,
        { name: 'credits', label: 'Credits', type: 'number', value: '50', max: 1_000_000_000 },
      ]}
      send={async ({ name, credits, ...place }) => {
        const whose = isNew ? place : { ...place, workspace_id: workspaceId };
        const order = { ...whose, ...(name && { name }), credits: Number(credits) };
        const made = await callControl<Account & { api_key: string }>('POST', '/accounts', order);
        onMade({ accountId: made.id, text: made.api_key });
      }}
    />
  );
}
