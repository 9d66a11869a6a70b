import { UserPlus, Users } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { at, useOpened } from '../data/addresses.ts';
import { callControl } from '../data/call-api.ts';
import { useList } from '../data/queries.ts';
import type { Account } from '../data/records.ts';
import { type Column, column, softColumn } from '../pieces/data-list.tsx';
import { RecordDrawer, Split } from '../pieces/drawer.tsx';
import { PopupForm } from '../pieces/form.tsx';
import { PLANS, PlanField, textOf } from '../pieces/form-field.tsx';
import { PageHead, Section } from '../pieces/page-parts.tsx';
import { type ListSpec, RecordList, useRecords } from '../pieces/record-list.tsx';
import { accountName, Credits, IdChip, shortId } from '../pieces/values.tsx';
import { AccountDrawer, KeyDrawer, type PeopleDrawerProps, ROLES } from './account-drawer.tsx';
import type { MadeKey } from './key-list.tsx';

/** Who there is, in which workspace, with which role and keys. */
export default function PeoplePage() {
  const found = useRecords<Account>('/accounts', { params: { account_id: undefined } });
  const { id, open, close } = useOpened('people');
  const [made, setMade] = useState<MadeKey>();
  const show = (key: MadeKey) => {
    setMade(key);
    open(key.accountId);
  };
  const rows = byWorkspace(found.rows);
  return (
    <Split drawer={id && <AnyDrawer {...{ id, made }} onClose={close} onMade={show} />}>
      <PageHead title="Keys and people" />
      <RecordList
        {...LIST}
        {...{ found: { ...found, rows }, opened: id, onOpen: open, tools: <NewAccountForm onMade={show} /> }}
      />
    </Split>
  );
}

/** The prefix of an id says what it names. */
function AnyDrawer(props: PeopleDrawerProps) {
  const { id } = props;
  if (id.startsWith('key_')) return <KeyDrawer {...props} />;
  if (id.startsWith('ws_')) return <WorkspaceDrawer {...props} />;
  return <AccountDrawer {...props} />;
}

const COLUMNS: readonly Column<Account>[] = [
  softColumn('Workspace', '120px', workspaceCell, { line: 2 }),
  softColumn('Plan', '96px', ({ plan }) => textOf(PLANS, plan), { line: 2, grow: true }),
  column('Account', 'minmax(120px, 2fr)', nameCell, { line: 1, grow: true }),
  column('Role', '56px', ({ role }) => textOf(ROLES, role), { line: 1 }),
  column('Id', '136px', ({ id }) => <code className="soft">{shortId(id)}</code>, { wide: true }),
  column('Credits', '80px', ({ credits }) => <Credits amount={credits} />, { align: 'end', line: 1 }),
];

function workspaceCell({ workspace_id: id }: Account) {
  return <code title={id}>{shortId(id)}</code>;
}

function nameCell(account: Account) {
  return (
    <span className="strong" dir="auto" title={account.id}>
      {accountName(account)}
    </span>
  );
}

const LIST: ListSpec<Account> = {
  ...{ label: 'Accounts', search: 'Search accounts', columns: COLUMNS },
  none: { icon: Users, title: 'No accounts yet', description: 'Make one, and it has a key of its own.' },
};

/** Those of a workspace together: the newest workspace first, in it who came first. */
function byWorkspace(accounts: readonly Account[]): readonly Account[] {
  const groups = new Map<string, Account[]>();
  for (const account of accounts) {
    groups.set(account.workspace_id, [account, ...(groups.get(account.workspace_id) ?? [])]);
  }
  return [...groups.values()].flat();
}

/** A workspace: its plan, and who is in it. */
function WorkspaceDrawer({ id, onMade, onClose }: PeopleDrawerProps) {
  const { data: accounts = [], isPending } = useList<Account>('/accounts', { params: { q: id } });
  const members = accounts.filter(({ workspace_id }) => workspace_id === id).toReversed();
  return (
    <RecordDrawer
      {...{ label: 'Workspace', id, onClose }}
      record={members[0]}
      gone={!isPending && 'This workspace no longer exists.'}
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
function NewAccountForm({ workspaceId, onMade }: NewAccountFormProps) {
  const isNew = workspaceId === undefined;
  return (
    <PopupForm
      text={isNew ? 'New account' : 'Add a person'}
      icon={UserPlus}
      variant={isNew ? 'primary' : 'plain'}
      note={isNew ? 'The owner of a new workspace.' : 'A new account in this workspace.'}
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
