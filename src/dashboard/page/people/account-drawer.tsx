import { Check, Coins } from 'lucide-react';
import { Link } from 'wouter';
import { callControl } from '../data/call-api.ts';
import { chooseAccount, useAccounts } from '../data/chosen-account.ts';
import { at } from '../data/paths.ts';
import { useAct, useOne } from '../data/queries.ts';
import type { Account } from '../data/records.ts';
import { accountName } from '../pieces/account-name.ts';
import { Button } from '../pieces/button.tsx';
import { Credits, formatNumber } from '../pieces/credits.tsx';
import { IdChip } from '../pieces/id-chip.tsx';
import { PlanField } from '../pieces/plan-field.tsx';
import { PopupForm } from '../pieces/popup-form.tsx';
import { RecordDrawer } from '../pieces/record-drawer.tsx';
import { SelectField } from '../pieces/select-field.tsx';
import { say, sayError } from '../pieces/toast.tsx';
import { KeyList } from './key-list.tsx';
import { type KeyRecord, type PeopleDrawerProps, ROLES } from './people-records.ts';

/** A key is shown with its account. */
export function KeyDrawer(props: PeopleDrawerProps) {
  const { record } = useOne<KeyRecord>('/keys', props.id);
  return <AccountDrawer {...props} id={record?.account_id ?? ''} keyId={props.id} />;
}

/** One account: what it may do, what it has, and its keys; `keyId` is the key whose address this is. */
export function AccountDrawer({ id, made, onMade, onClose, keyId }: PeopleDrawerProps & { keyId?: string }) {
  const { record, error } = useOne<Account>('/accounts', id, { enabled: id !== '' });
  return (
    <RecordDrawer
      {...{ label: 'Account', id: keyId ?? id, record, error, onClose }}
      title={(account) => <span dir="auto">{accountName(account)}</span>}
      tools={(account) => <AccountTools account={account} />}
      facts={factsOf}
    >
      {(account) => <KeyList account={account} made={made} onMade={onMade} marked={keyId} />}
    </RecordDrawer>
  );
}

function AccountTools({ account: { id, name } }: { account: Account }) {
  const isChosen = useAccounts().account?.id === id;
  return (
    <>
      <Button icon={<Check aria-hidden />} disabled={isChosen} onClick={() => chooseAccount(id)}>
        {isChosen ? 'These pages are its' : 'Show its pages'}
      </Button>
      <Link className="button" href={at.money()} onClick={() => chooseAccount(id)}>
        <Coins aria-hidden /> Its money
      </Link>
      <PopupForm
        text="Rename"
        title="Rename this account"
        action="Rename"
        fields={[{ name: 'name', label: 'Name', type: 'text', value: name ?? '', maxLength: 200 }]}
        send={(draft) => callControl('PATCH', `/accounts/${id}`, draft)}
      />
    </>
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

/** What an account may do; its keys go on with the new role. */
function RoleField({ account: { id, role } }: { account: Account }) {
  const change = useAct(
    (wanted: string) => callControl('PATCH', `/accounts/${id}`, { role: wanted }),
    () => say('The role is another one', 'Its keys have it at once.', 'good'),
  );
  const choose = (wanted: string) => change.mutate(wanted, { onError: sayError });
  return <SelectField label="Role" value={role} options={ROLES} onChange={choose} />;
}
