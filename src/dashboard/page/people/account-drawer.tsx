import { Check, Coins, KeyRound } from 'lucide-react';
import { Link } from 'wouter';
import type { KeyRecord } from '../../../control/keys.ts';
import { chooseAccount, useAccounts, WELL_KNOWN_KEY } from '../data/account-and-clock.ts';
import { callControl } from '../data/call-api.ts';
import { at } from '../data/paths.ts';
import { useList, useOne } from '../data/queries.ts';
import type { Account } from '../data/records.ts';
import { ActionButton } from '../pieces/action-button.tsx';
import { Button, LinkButton } from '../pieces/button.tsx';
import { RecordDrawer } from '../pieces/drawer.tsx';
import { PopupForm } from '../pieces/form.tsx';
import { PlanField, SelectAction } from '../pieces/form-field.tsx';
import { ErrorNotice, Notice, Section } from '../pieces/page-parts.tsx';
import { accountName, Badge, Code, Credits, formatNumber, IdChip, RelativeTime, shortId } from '../pieces/values.tsx';

/** A key that was just made: its text is shown this once. */
export interface MadeKey {
  accountId: string;
  text: string;
}

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
        text={isChosen ? 'These pages are its' : 'Show its pages'}
        icon={Check}
        disabled={isChosen}
        onClick={() => chooseAccount(id)}
      />
      <LinkButton text="Its money" icon={Coins} href={at.money()} onClick={() => chooseAccount(id)} />
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
function RoleField({ account: { id, role: value } }: { account: Account }) {
  const act = (role: string) => callControl('PATCH', `/accounts/${id}`, { role });
  const toast = ['The role is another one', 'Its keys have it at once.'] as const;
  return <SelectAction label="Role" {...{ value, options: ROLES, act, toast }} />;
}

interface KeyListProps {
  account: Account;
  made: MadeKey | undefined;
  onMade: (key: MadeKey) => void;
  marked: string | undefined;
}

/** The keys of an account; the text of one is there only when it was just made. */
function KeyList({ account: { id }, made, onMade, marked }: KeyListProps) {
  const { data: keys = [], error } = useList<KeyRecord>(`/accounts/${id}/keys`);
  const { first } = useAccounts();
  const seeded = first?.id === id ? keys.at(-1)?.id : undefined;
  const tools = (
    <ActionButton
      text="New key"
      icon={KeyRound}
      act={() => callControl<{ api_key: string }>('POST', `/accounts/${id}/keys`)}
      onSuccess={({ api_key: text }) => onMade({ accountId: id, text })}
    />
  );
  return (
    <Section title="Keys" tools={tools}>
      <ErrorNotice error={error} />
      {made?.accountId === id && <NewKey text={made.text} />}
      <ul className="lines framed">
        {keys.map((key) => (
          <KeyRow key={key.id} record={key} isMarked={key.id === marked} isSeeded={key.id === seeded} />
        ))}
      </ul>
    </Section>
  );
}

function NewKey({ text }: { text: string }) {
  return (
    <div className="drawer-tools stack">
      <Notice tone="good">This key is shown once. Only its hash is kept: copy it now.</Notice>
      <Code text={text} label="The new key" />
    </div>
  );
}

interface KeyRowProps {
  record: KeyRecord;
  isMarked: boolean;
  /** The one that every fresh emulator knows. */
  isSeeded: boolean;
}

const REVOKE = {
  text: 'Revoke',
  variant: 'quiet',
  toast: ['The key is revoked', 'It is answered 401 from now on.'],
  confirm: { title: 'Revoke this key?', note: 'It is answered 401 at once, and for good.' },
} as const;

function KeyRow({ record: { id, created, revoked }, isMarked, isSeeded }: KeyRowProps) {
  return (
    <li className="key-row line" data-marked={isMarked ? '' : undefined}>
      <Link className="named mono cut" href={`${at.live()}?q=${id}`} title={`Requests with ${id}`}>
        {shortId(id)}
      </Link>
      <span className="soft">{isSeeded ? <code>{WELL_KNOWN_KEY}</code> : <RelativeTime at={created} />}</span>
      {revoked === null ? (
        <ActionButton {...REVOKE} act={() => callControl('DELETE', `/keys/${id}`)} />
      ) : (
        <Badge tone="plain">revoked</Badge>
      )}
    </li>
  );
}
