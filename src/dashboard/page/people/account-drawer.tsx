import { Check, Coins } from 'lucide-react';
import { Link } from 'wouter';
import { chooseAccount, useAccounts } from '../data/chosen-account.ts';
import { at } from '../data/paths.ts';
import { useRecord } from '../data/queries.ts';
import type { Account } from '../data/records.ts';
import { accountName } from '../pieces/account-name.ts';
import { Button } from '../pieces/button.tsx';
import { Credits, formatNumber } from '../pieces/credits.tsx';
import { Drawer } from '../pieces/drawer.tsx';
import { ErrorNotice } from '../pieces/error-notice.tsx';
import { IdChip } from '../pieces/id-chip.tsx';
import { Facts, Section } from '../pieces/page-head.tsx';
import { PlanField } from '../pieces/plan-field.tsx';
import { KeyList } from './key-list.tsx';
import type { MadeKey } from './people-records.ts';
import { RenameForm } from './rename-form.tsx';
import { RoleField } from './role-field.tsx';

interface AccountDrawerProps {
  id: string;
  made: MadeKey | undefined;
  onMade: (key: MadeKey) => void;
  onClose: () => void;
  /** The key whose address this is. */
  keyId?: string;
}

/** One account: what it may do, what it has, and its keys. */
export function AccountDrawer({ id, made, onMade, onClose, keyId }: AccountDrawerProps) {
  const { data, error } = useRecord<Account>(`/accounts/${id}`);
  const account = data?.id === id ? data : undefined;
  return (
    <Drawer label="Account" title={<span dir="auto">{account ? accountName(account) : id}</span>} onClose={onClose}>
      <ErrorNotice error={error} />
      {account && (
        <>
          <AccountTools account={account} />
          <Section title="Facts">
            <Facts facts={factsOf(account)} />
          </Section>
          <KeyList account={account} made={made} onMade={onMade} marked={keyId} />
        </>
      )}
    </Drawer>
  );
}

function AccountTools({ account }: { account: Account }) {
  const { account: chosen } = useAccounts();
  const isChosen = chosen?.id === account.id;
  return (
    <div className="people-tools">
      <Button icon={<Check aria-hidden />} disabled={isChosen} onClick={() => chooseAccount(account.id)}>
        {isChosen ? 'These pages are its' : 'Show its pages'}
      </Button>
      <Link className="button" href={at.money()} onClick={() => chooseAccount(account.id)}>
        <Coins aria-hidden /> Its money
      </Link>
      <RenameForm account={account} />
    </div>
  );
}

function factsOf(account: Account) {
  const { id, workspace_id, credits, budget } = account;
  return {
    Account: <IdChip id={id} />,
    Workspace: <IdChip id={workspace_id} />,
    Plan: <PlanField account={account} />,
    Role: <RoleField account={account} />,
    Credits: <Credits amount={credits} />,
    Budget: budget && `${formatNumber(budget.left)} left of ${formatNumber(budget.credits)}`,
  };
}
