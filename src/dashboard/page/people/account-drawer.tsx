import { Check, Coins } from 'lucide-react';
import type { KeyRecord } from '../../../control/keys.ts';
import { chooseAccount, useAccounts } from '../data/account-and-clock.ts';
import { at } from '../data/addresses.ts';
import { callControl } from '../data/call-api.ts';
import { useOne } from '../data/queries.ts';
import type { Account } from '../data/records.ts';
import { RecordDrawer } from '../pieces/drawer.tsx';
import { PopupForm } from '../pieces/form.tsx';
import { PlanField, SelectAction } from '../pieces/form-field.tsx';
import { Button, LinkButton } from '../pieces/page-parts.tsx';
import { accountName, Credits, IdChip } from '../pieces/values.tsx';
import { KeyList, type MadeKey } from './key-list.tsx';

/** A drawer of this area, by the id of what it shows. */
export interface PeopleDrawerProps {
  id: string;
  made: MadeKey | undefined;
  onMade: (key: MadeKey) => void;
  onClose: () => void;
}

export const ROLES = [
  ['owner', 'Owner', 'manages webhooks'],
  ['admin', 'Admin', 'manages webhooks'],
  ['member', 'Member', 'uses the service'],
];

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
      <Button
        text={isChosen ? 'Viewing as this account' : 'View as this account'}
        icon={Check}
        disabled={isChosen}
        onClick={() => chooseAccount(id)}
      />
      <LinkButton text="View ledger" icon={Coins} href={at.money()} onClick={() => chooseAccount(id)} />
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
  const { id, workspace_id, credits } = account;
  return {
    Account: <IdChip id={id} />,
    Workspace: <IdChip id={workspace_id} />,
    Plan: <PlanField account={account} />,
    Role: <RoleField account={account} />,
    Credits: <Credits amount={credits} />,
  };
}

/** What an account may do; its keys go on with the new role. */
function RoleField({ account: { id, role: value } }: { account: Account }) {
  const act = (role: string) => callControl('PATCH', `/accounts/${id}`, { role });
  const toast = ['The role is another one', 'Its keys have it at once.'] as const;
  return <SelectAction label="Role" {...{ value, options: ROLES, act, toast }} />;
}
