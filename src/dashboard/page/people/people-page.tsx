import { Check, Coins, KeyRound, UserPlus, Users } from 'lucide-react';
import { useEffect } from 'react';
import { Link } from 'wouter';
import type { WireAnswer } from '../../../control/call-operation.ts';
import { ActionButton } from '../components/action-button.tsx';
import { column, type ListSpec, mutedColumn, RecordList } from '../components/data-list.tsx';
import { RecordDrawer, SplitView, type TabDrawerProps } from '../components/drawer.tsx';
import { AutoApplySelect, optionLabel, PLAN_OPTIONS, PlanField, PopupForm } from '../components/form.tsx';
import { Button, LinkButton, Notice, PageHeader, Section } from '../components/page-parts.tsx';
import { accountDisplayName, Badge, CodeBlock, Credits, IdChip, RelativeTime, shortId } from '../components/values.tsx';
import { useAccountSelection, WELL_KNOWN_KEY } from '../data/account-and-clock.ts';
import { useOpenRecord } from '../data/addresses.ts';
import { areaPathBuilders } from '../data/areas.ts';
import { PageStore, useStore } from '../data/browser.ts';
import { callControl } from '../data/call-api.ts';
import { chooseAccount } from '../data/chosen-account.ts';
import { useFilteredRecords, useRecord, useRows } from '../data/queries.ts';
import type { Account } from '../data/records.ts';

const madeKey = new PageStore<{ accountId: string; text: string } | undefined>(undefined);

function KeyList({ account: { id, keys }, marked }: { account: WireAnswer<'showAccount'>; marked: string }) {
  const { first } = useAccountSelection();
  const made = useStore(madeKey);
  const { open } = useOpenRecord('people');
  const seeded = first?.id === id ? keys.at(-1)?.id : undefined;
  const tools = (
    <ActionButton
      text="New key"
      icon={KeyRound}
      act={() => callControl('addKey', { id })}
      onSuccess={({ api_key: text }) => {
        madeKey.set({ accountId: id, text });
        open(id);
      }}
    />
  );
  return (
    <Section title="Keys" tools={tools}>
      {made?.accountId === id && (
        <div className="drawer-tools stack">
          <Notice tone="good">This key is shown once. Only its hash is kept: copy it now.</Notice>
          <CodeBlock text={made.text} label="The new key" />
        </div>
      )}
      <ul className="lines framed">
        {keys.map(({ id: key, created, revoked }) => (
          <li key={key} className="key-row line" data-marked={key === marked ? '' : undefined}>
            <Link
              className="named mono cut"
              href={`${areaPathBuilders.live()}?q=${key}`}
              title={`Requests with ${key}`}
            >
              {shortId(key)}
            </Link>
            <span className="soft">
              {key === seeded ? <code>{WELL_KNOWN_KEY}</code> : <RelativeTime at={created} />}
            </span>
            {revoked === null ? (
              <ActionButton {...REVOKE} act={() => callControl('revokeKey', { id: key })} />
            ) : (
              <Badge tone="plain">revoked</Badge>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

const REVOKE = {
  text: 'Revoke',
  variant: 'quiet',
  toast: ['Key revoked', 'Requests with it return 401 from now on.'],
  confirm: { title: 'Revoke this key?', note: 'Requests with it return 401 from now on. This cannot be undone.' },
} as const;

type OpenRecord = Pick<TabDrawerProps, 'id' | 'onClose'>;

const ROLES = [
  ['owner', 'Owner', 'manages webhooks'],
  ['admin', 'Admin', 'manages webhooks'],
  ['member', 'Member', 'uses the service'],
];

/** Shows the account of this id, or the account that owns the key of this id. */
function AccountDrawer({ id: asked, onClose }: OpenRecord) {
  const isKey = asked.startsWith('key_');
  const { data: [owner] = [] } = useRows('listAccounts', { q: asked }, { enabled: isKey });
  const id = isKey ? (owner?.id ?? '') : asked;
  const { record, error } = useRecord('showAccount', id, { enabled: id !== '' });
  const isChosen = useAccountSelection().account?.id === id;
  return (
    <RecordDrawer
      {...{ label: 'Account', id: asked, record, error, onClose }}
      title={(account) => <span dir="auto">{accountDisplayName(account)}</span>}
      tools={({ name }) => (
        <>
          <Button
            text={isChosen ? 'Viewing as this account' : 'View as this account'}
            icon={Check}
            disabled={isChosen}
            onClick={() => chooseAccount(id)}
          />
          <LinkButton
            text="View ledger"
            icon={Coins}
            href={areaPathBuilders.money()}
            onClick={() => chooseAccount(id)}
          />
          <PopupForm
            text="Rename"
            title="Rename this account"
            action="Rename"
            fields={[{ name: 'name', label: 'Name', type: 'text', value: name ?? '', maxLength: 200 }]}
            send={(draft) => callControl('changeAccount', { id, name: draft.name })}
          />
        </>
      )}
      details={(account) => ({
        Account: <IdChip id={id} />,
        Workspace: <IdChip id={account.workspace_id} />,
        Plan: <PlanField account={account} />,
        Role: (
          <AutoApplySelect
            label="Role"
            value={account.role}
            options={ROLES}
            act={(role) => callControl('changeAccount', { id, role: role as Account['role'] })}
            toast={['Role changed', 'It applies to all keys immediately.']}
          />
        ),
        Credits: <Credits amount={account.credits} />,
      })}
    >
      {(account) => <KeyList account={account} marked={asked} />}
    </RecordDrawer>
  );
}

export default function AccountsAndKeysPage() {
  const found = useFilteredRecords('listAccounts', {}, { isOfAll: true });
  const { id, open, close } = useOpenRecord('people');
  useEffect(() => () => madeKey.set(undefined), []);
  const rows = byWorkspace(found.rows);
  const Drawer = id?.startsWith('ws_') ? WorkspaceDrawer : AccountDrawer;
  return (
    <SplitView drawer={id && <Drawer id={id} onClose={close} />}>
      <PageHeader title="Keys and people" />
      <RecordList
        {...ACCOUNTS}
        {...{ found: { ...found, rows }, opened: id, onOpen: open, tools: <NewAccountForm /> }}
      />
    </SplitView>
  );
}

function nameCell(account: Account) {
  return (
    <span className="strong" dir="auto" title={account.id}>
      {accountDisplayName(account)}
    </span>
  );
}

const ACCOUNTS: ListSpec<Account> = {
  label: 'Accounts',
  columns: [
    mutedColumn('Workspace', '120px', ({ workspace_id: id }) => <code title={id}>{shortId(id)}</code>, { line: 2 }),
    mutedColumn('Plan', '96px', ({ plan }) => optionLabel(PLAN_OPTIONS, plan), { line: 2, grow: true }),
    column('Account', 'minmax(120px, 2fr)', nameCell, { line: 1, grow: true }),
    column('Role', '56px', ({ role }) => optionLabel(ROLES, role), { line: 1 }),
    column('Id', '136px', ({ id }) => <code className="soft">{shortId(id)}</code>, { wide: true }),
    column('Credits', '80px', ({ credits }) => <Credits amount={credits} />, { align: 'end', line: 1 }),
  ],
  icon: Users,
  hint: 'Create an account to get another key.',
};

/**
 * Groups the accounts by workspace. The workspace with the newest account comes first, and the oldest account comes
 * first in its workspace.
 */
function byWorkspace(accounts: readonly Account[]): readonly Account[] {
  return [...Map.groupBy(accounts, ({ workspace_id }) => workspace_id).values()].flatMap((own) => own.toReversed());
}

function WorkspaceDrawer({ id, onClose }: OpenRecord) {
  const { data: accounts = [], isPending } = useRows('listAccounts', { q: id });
  const members = accounts.filter(({ workspace_id }) => workspace_id === id).toReversed();
  return (
    <RecordDrawer
      {...{ label: 'Workspace', id, onClose }}
      record={members[0]}
      gone="This workspace no longer exists."
      isGone={!isPending}
      title={() => 'Workspace'}
      details={(first) => ({ Workspace: <IdChip id={id} />, Plan: <PlanField account={first} /> })}
    >
      {() => (
        <Section title="People" tools={<NewAccountForm workspaceId={id} />}>
          <ul className="lines framed">
            {members.map((account) => (
              <li key={account.id} className="key-row line">
                <Link className="named cut" href={areaPathBuilders.people(account.id)} dir="auto">
                  {accountDisplayName(account)}
                </Link>
                <span className="soft">{account.role}</span>
                <Credits amount={account.credits} unit />
              </li>
            ))}
          </ul>
        </Section>
      )}
    </RecordDrawer>
  );
}

const OWNER = { name: 'plan', label: 'Plan', type: 'options', options: PLAN_OPTIONS, value: 'payg' } as const;
const MEMBER = { name: 'role', label: 'Role', type: 'options', options: ROLES, value: 'member' } as const;

function NewAccountForm({ workspaceId }: { workspaceId?: string }) {
  const { open } = useOpenRecord('people');
  const isNew = workspaceId === undefined;
  return (
    <PopupForm
      text={isNew ? 'New account' : 'Add a person'}
      icon={UserPlus}
      variant={isNew ? 'primary' : 'plain'}
      note={isNew ? 'The owner of a new workspace.' : 'A new account in this workspace.'}
      action="Create account"
      fields={[
        { name: 'name', label: 'Name', type: 'text', isOptional: true, maxLength: 200 },
        isNew ? OWNER : MEMBER,
        { name: 'credits', label: 'Credits', type: 'number', value: '50', max: 1_000_000_000 },
      ]}
      send={async ({ name, credits, ...place }) => {
        const order = { ...place, workspace_id: workspaceId, name: name || undefined, credits: Number(credits) };
        const made = await callControl('createAccount', order);
        madeKey.set({ accountId: made.id, text: made.api_key });
        open(made.id);
      }}
    />
  );
}
