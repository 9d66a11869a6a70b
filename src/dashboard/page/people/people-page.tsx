import { Users } from 'lucide-react';
import { useState } from 'react';
import type { Account } from '../data/records.ts';
import { type Column, column, softColumn } from '../pieces/columns.tsx';
import { Split } from '../pieces/drawer.tsx';
import { accountName, shortId } from '../pieces/ids.tsx';
import { PageHead } from '../pieces/page-parts.tsx';
import { type ListSpec, RecordList, useRecords } from '../pieces/record-list.tsx';
import { PLANS, textOf } from '../pieces/select-field.tsx';
import { useOpened } from '../pieces/use-address.ts';
import { Credits, formatNumber, Toned } from '../pieces/values.tsx';
import { AccountDrawer, KeyDrawer, type MadeKey, type PeopleDrawerProps, ROLES } from './account-drawer.tsx';
import { NewAccountForm, WorkspaceDrawer } from './workspace-drawer.tsx';
import './people.css';

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

/** What an id is, is told by its beginning. */
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
  column('Budget left', '96px', budgetCell, { align: 'end', wide: true }),
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

function budgetCell({ budget }: Account) {
  if (!budget) return <span className="soft">–</span>;
  return <Toned tone={budget.left <= 0 ? 'bad' : undefined}>{formatNumber(budget.left)}</Toned>;
}

const LIST: ListSpec<Account> = {
  ...{ label: 'Accounts', search: 'Search accounts', columns: COLUMNS },
  none: { icon: Users, title: 'There is no account', says: 'Make one, and it has a key of its own.' },
};

/** Those of a workspace together: the newest workspace first, in it who came first. */
function byWorkspace(accounts: readonly Account[]): readonly Account[] {
  const groups = new Map<string, Account[]>();
  for (const account of accounts) {
    groups.set(account.workspace_id, [account, ...(groups.get(account.workspace_id) ?? [])]);
  }
  return [...groups.values()].flat();
}
