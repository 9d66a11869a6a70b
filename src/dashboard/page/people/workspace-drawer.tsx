import { Link } from 'wouter';
import { useAccounts } from '../data/chosen-account.ts';
import { at } from '../data/paths.ts';
import type { Account } from '../data/records.ts';
import { accountName } from '../pieces/account-name.ts';
import { Credits } from '../pieces/credits.tsx';
import { Drawer } from '../pieces/drawer.tsx';
import { Notice } from '../pieces/error-notice.tsx';
import { IdChip } from '../pieces/id-chip.tsx';
import { Facts, Section } from '../pieces/page-head.tsx';
import { PlanField } from '../pieces/plan-field.tsx';
import { NewAccountForm } from './new-account-form.tsx';
import type { MadeKey } from './people-records.ts';

interface WorkspaceDrawerProps {
  id: string;
  onMade: (key: MadeKey) => void;
  onClose: () => void;
}

/** A workspace: its plan, and who is in it. */
export function WorkspaceDrawer({ id, onMade, onClose }: WorkspaceDrawerProps) {
  const { accounts, isPending } = useAccounts();
  const members = accounts.filter(({ workspace_id }) => workspace_id === id).toReversed();
  const [first] = members;
  return (
    <Drawer label="Workspace" title="Workspace" onClose={onClose}>
      {!first && !isPending && <Notice tone="plain">There is no such workspace.</Notice>}
      {first && (
        <>
          <Section title="Facts">
            <Facts facts={{ Workspace: <IdChip id={id} />, Plan: <PlanField account={first} /> }} />
          </Section>
          <Section title="People" tools={<NewAccountForm workspaceId={id} onMade={onMade} />}>
            <ul className="keys">
              {members.map((account) => (
                <MemberRow key={account.id} account={account} />
              ))}
            </ul>
          </Section>
        </>
      )}
    </Drawer>
  );
}

function MemberRow({ account }: { account: Account }) {
  return (
    <li className="key-row">
      <Link className="key-name" href={at.people(account.id)} dir="auto">
        {accountName(account)}
      </Link>
      <span className="soft">{account.role}</span>
      <Credits amount={account.credits} unit />
    </li>
  );
}
