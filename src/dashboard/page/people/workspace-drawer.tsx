import { Link } from 'wouter';
import { useAccounts } from '../data/chosen-account.ts';
import { at } from '../data/paths.ts';
import type { Account } from '../data/records.ts';
import { accountName } from '../pieces/account-name.ts';
import { Credits } from '../pieces/credits.tsx';
import { IdChip } from '../pieces/id-chip.tsx';
import { Section } from '../pieces/page-head.tsx';
import { PlanField } from '../pieces/plan-field.tsx';
import { RecordDrawer } from '../pieces/record-drawer.tsx';
import { NewAccountForm } from './new-account-form.tsx';
import type { PeopleDrawerProps } from './people-records.ts';

/** A workspace: its plan, and who is in it. */
export function WorkspaceDrawer({ id, onMade, onClose }: PeopleDrawerProps) {
  const { accounts, isPending } = useAccounts();
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
