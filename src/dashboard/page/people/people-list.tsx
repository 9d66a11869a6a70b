import { useMemo } from 'react';
import type { Account } from '../data/records.ts';
import { accountName } from '../pieces/account-name.ts';
import type { Column } from '../pieces/column.ts';
import { Credits, formatNumber } from '../pieces/credits.tsx';
import { DataList } from '../pieces/data-list.tsx';
import { shortId } from '../pieces/id-chip.tsx';
import { NoneLike } from '../pieces/none-like.tsx';
import { PLANS } from '../pieces/plan-field.tsx';
import { ROLES } from './people-records.ts';

/** An account; the first of its workspace names it. */
interface Person extends Account {
  isFirst: boolean;
}

const COLUMNS: readonly Column<Person>[] = [
  {
    ...{ title: 'Workspace', width: '120px', line: 2 },
    cell: ({ workspace_id, isFirst }) => (
      <code className={isFirst ? undefined : 'soft'} title={workspace_id}>
        {shortId(workspace_id)}
      </code>
    ),
  },
  {
    ...{ title: 'Plan', width: '96px', line: 2, grow: true },
    cell: ({ plan, isFirst }) => <span className={isFirst ? undefined : 'soft'}>{textOf(PLANS, plan)}</span>,
  },
  {
    ...{ title: 'Account', width: 'minmax(120px, 2fr)', line: 1, grow: true },
    cell: (person) => (
      <span className="strong" dir="auto" title={person.id}>
        {accountName(person)}
      </span>
    ),
  },
  { title: 'Role', width: '56px', cell: ({ role }) => textOf(ROLES, role), line: 1 },
  {
    ...{ title: 'Id', width: '136px', wide: true },
    cell: ({ id }) => <code className="soft">{shortId(id)}</code>,
  },
  { title: 'Budget left', width: '96px', align: 'end', wide: true, cell: budgetCell },
  {
    ...{ title: 'Credits', width: '80px', align: 'end', line: 1 },
    cell: ({ credits }) => <Credits amount={credits} />,
  },
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

export function PeopleList({ accounts, text, isPending, opened, onOpen }: PeopleListProps) {
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
