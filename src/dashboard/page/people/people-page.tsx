import { useMemo, useState } from 'react';
import { useAccounts } from '../data/chosen-account.ts';
import { Split } from '../pieces/drawer.tsx';
import { PageHead } from '../pieces/page-parts.tsx';
import { SearchBox } from '../pieces/search-box.tsx';
import { useFilter, useOpened } from '../pieces/use-address.ts';
import { AccountDrawer, KeyDrawer } from './account-drawer.tsx';
import { type MadeKey, type PeopleDrawerProps, ROLES } from './people-records.ts';
import { NewAccountForm, WorkspaceDrawer } from './workspace-drawer.tsx';
import './people.css';
import type { Account } from '../data/records.ts';
import { type Column, column } from '../pieces/columns.tsx';
import { DataList } from '../pieces/data-list.tsx';
import { accountName, shortId } from '../pieces/ids.tsx';
import { PLANS } from '../pieces/plan-field.tsx';
import { NoneLike } from '../pieces/record-list.tsx';
import { Credits, formatNumber } from '../pieces/values.tsx';

/** Who there is, in which workspace, with which role and keys. */
export default function PeoplePage() {
  const { accounts, isPending } = useAccounts();
  const { id, open, close } = useOpened('people');
  const [text, setText] = useFilter('q');
  const [made, setMade] = useState<MadeKey>();
  const show = (key: MadeKey) => {
    setMade(key);
    open(key.accountId);
  };
  return (
    <Split drawer={id && <AnyDrawer {...{ id, made }} onClose={close} onMade={show} />}>
      <PageHead title="Keys and people">
        <SearchBox label="Search accounts" value={text} onChange={setText} />
        <span className="grow" />
        <NewAccountForm onMade={show} />
      </PageHead>
      <PeopleList {...{ accounts, text, isPending }} opened={id} onOpen={open} />
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

/** An account; the first of its workspace names it. */
interface Person extends Account {
  isFirst: boolean;
}

const COLUMNS: readonly Column<Person>[] = [
  column(
    'Workspace',
    '120px',
    ({ workspace_id, isFirst }) => (
      <code className={isFirst ? undefined : 'soft'} title={workspace_id}>
        {shortId(workspace_id)}
      </code>
    ),
    { line: 2 },
  ),
  column(
    'Plan',
    '96px',
    ({ plan, isFirst }) => <span className={isFirst ? undefined : 'soft'}>{textOf(PLANS, plan)}</span>,
    { line: 2, grow: true },
  ),
  column(
    'Account',
    'minmax(120px, 2fr)',
    (person) => (
      <span className="strong" dir="auto" title={person.id}>
        {accountName(person)}
      </span>
    ),
    { line: 1, grow: true },
  ),
  column('Role', '56px', ({ role }) => textOf(ROLES, role), { line: 1 }),
  column('Id', '136px', ({ id }) => <code className="soft">{shortId(id)}</code>, { wide: true }),
  column('Budget left', '96px', budgetCell, { align: 'end', wide: true }),
  column('Credits', '80px', ({ credits }) => <Credits amount={credits} />, { align: 'end', line: 1 }),
];

function budgetCell({ budget }: Account) {
  if (!budget) return <span className="soft">–</span>;
  return (
    <span className="toned" data-tone={budget.left <= 0 ? 'bad' : undefined}>
      {formatNumber(budget.left)}
    </span>
  );
}

function textOf(options: readonly { value: string; text: string }[], value: string): string {
  return options.find((each) => each.value === value)?.text ?? value;
}

/** The accounts that fit, those of a workspace together: the newest workspace first, in it who came first. */
function byWorkspace(accounts: readonly Account[], text: string): readonly Person[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map<string, Account[]>();
  for (const account of accounts) {
    const { id, name, role, plan, workspace_id: workspace } = account;
    const about = `${id} ${name} ${role} ${plan} ${workspace}`.toLowerCase();
    if (!words.every((word) => about.includes(word))) continue;
    groups.set(workspace, [account, ...(groups.get(workspace) ?? [])]);
  }
  return [...groups.values()].flatMap((group) => group.map((account, at) => ({ ...account, isFirst: at === 0 })));
}

interface PeopleListProps {
  accounts: readonly Account[];
  text: string;
  isPending: boolean;
  opened: string | undefined;
  onOpen: (id: string) => void;
}

function PeopleList({ accounts, text, isPending, opened, onOpen }: PeopleListProps) {
  const people = useMemo(() => byWorkspace(accounts, text), [accounts, text]);
  const count = (q: string) => byWorkspace(accounts, q).length;
  return (
    <DataList
      label="Accounts"
      rows={people}
      columns={COLUMNS}
      keyOf={({ id }) => id}
      opened={opened}
      onOpen={onOpen}
      empty={isPending ? null : <NoneLike what="accounts" count={count} />}
    />
  );
}
