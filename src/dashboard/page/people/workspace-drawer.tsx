import { UserPlus } from 'lucide-react';
import { Link } from 'wouter';
import { callControl } from '../data/call-api.ts';
import { at } from '../data/paths.ts';
import { useList } from '../data/queries.ts';
import type { Account } from '../data/records.ts';
import { RecordDrawer } from '../pieces/drawer.tsx';
import { accountName, IdChip } from '../pieces/ids.tsx';
import { Section } from '../pieces/page-parts.tsx';
import { PopupForm } from '../pieces/popup-form.tsx';
import { PLANS, PlanField } from '../pieces/select-field.tsx';
import { Credits } from '../pieces/values.tsx';
import { type MadeKey, type PeopleDrawerProps, ROLES } from './account-drawer.tsx';

/** A workspace: its plan, and who is in it. */
export function WorkspaceDrawer({ id, onMade, onClose }: PeopleDrawerProps) {
  const { data: accounts = [], isPending } = useList<Account>('/accounts', { params: { q: id } });
  const members = accounts.filter(({ workspace_id }) => workspace_id === id).toReversed();
  return (
    <RecordDrawer
      {...{ label: 'Workspace', id, onClose }}
      record={members[0]}
      gone={!isPending && 'There is no such workspace.'}
      title={() => 'Workspace'}
      facts={(first) => ({ Workspace: <IdChip id={id} />, Plan: <PlanField account={first} /> })}
    >
      {() => (
        <Section title="People" tools={<NewAccountForm workspaceId={id} onMade={onMade} />}>
          <ul className="lines framed">
            {members.map((account) => (
              <MemberRow key={account.id} account={account} />
            ))}
          </ul>
        </Section>
      )}
    </RecordDrawer>
  );
}

function MemberRow({ account }: { account: Account }) {
  return (
    <li className="key-row line">
      <Link className="named cut" href={at.people(account.id)} dir="auto">
        {accountName(account)}
      </Link>
      <span className="soft">{account.role}</span>
      <Credits amount={account.credits} unit />
    </li>
  );
}

interface NewAccountFormProps {
  /** Joins it; without it the account is the owner of a new one. */
  workspaceId?: string;
  onMade: (key: MadeKey) => void;
}

const OWNER = { name: 'plan', label: 'Plan', type: 'options', options: PLANS, value: 'payg' } as const;
const MEMBER = { name: 'role', label: 'Role', type: 'options', options: ROLES, value: 'member' } as const;

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
