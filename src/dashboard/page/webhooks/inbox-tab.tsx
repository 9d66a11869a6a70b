import { Inbox, Trash2 } from 'lucide-react';
import { callControl } from '../data/call-api.ts';
import { useAccounts } from '../data/chosen-account.ts';
import { useList } from '../data/queries.ts';
import { ActionButton } from '../pieces/action-button.tsx';
import { PopupForm } from '../pieces/form.tsx';
import { type FieldSpec, SelectField } from '../pieces/form-field.tsx';
import { Code, IdChip } from '../pieces/ids.tsx';
import { type OpenRow, RecordList, useWholeList } from '../pieces/record-list.tsx';
import { keepSecret } from './endpoint-form.tsx';
import { MESSAGE_COLUMNS, toneOfMessage, useInboxes } from './message-drawer.tsx';
import { type Endpoint, inboxOf, type Message } from './webhook-records.ts';

/** A receiver that is always there, and what it was sent. */
export function InboxTab(opening: OpenRow) {
  const { name } = useInboxes();
  const found = useWholeList<Message>(`/inbox/${name}/messages`);
  return (
    <RecordList
      {...{ label: 'Messages', search: 'Search messages', columns: MESSAGE_COLUMNS, toneOf: toneOfMessage }}
      {...{ found, ...opening, tools: <InboxTools hasMessages={found.isFiltered} /> }}
      none={{ icon: Inbox, title: `Nothing has come to the inbox “${name}” yet`, says: <NoMessages /> }}
    />
  );
}

const ANOTHER: FieldSpec = {
  ...{ name: 'name', label: 'Name', type: 'text', pattern: '[A-Za-z0-9_\\-]{1,64}' },
  note: 'Letters, digits, dashes and underscores.',
};

function InboxTools({ hasMessages }: { hasMessages: boolean }) {
  const { name, names, choose } = useInboxes();
  const endpoint = useOwnEndpoint(name);
  const { account } = useAccounts();
  const order = { inbox: name, workspace_id: account?.workspace_id };
  return (
    <>
      <SelectField label="Inbox" value={name} options={names.map((each) => [each])} onChange={choose} />
      <PopupForm
        {...{ text: 'Another inbox', action: 'Open', fields: [ANOTHER] }}
        note="An inbox is there as soon as it is named."
        send={async ({ name: given = '' }) => choose(given)}
      />
      <span className="grow" />
      {endpoint ? (
        <span className="soft">
          Events come by <IdChip id={endpoint.id} />
        </span>
      ) : (
        <ActionButton
          text="Send events here"
          icon={Inbox}
          look="primary"
          act={() => callControl<Endpoint & { secret: string }>('POST', '/endpoints', order)}
          said={['Events are sent here', 'From now on, every event of this workspace.']}
          done={({ id, secret }) => keepSecret(id, secret)}
        />
      )}
      {hasMessages && (
        <ActionButton
          text="Empty the inbox"
          icon={Trash2}
          look="quiet"
          isSmall
          act={() => callControl<void>('DELETE', `/inbox/${name}/messages`)}
          ask={{
            title: `Empty the inbox ${name}?`,
            note: 'Its messages are forgotten. Deliveries and events stay.',
            action: 'Empty',
          }}
        />
      )}
    </>
  );
}

/** The endpoint of the chosen account's workspace that leads to an inbox. */
function useOwnEndpoint(name: string): Endpoint | undefined {
  const { account } = useAccounts();
  const { data: endpoints = [] } = useList<Endpoint>('/endpoints');
  return endpoints.find(({ url, workspace_id }) => inboxOf(url) === name && workspace_id === account?.workspace_id);
}

function NoMessages() {
  const { name } = useInboxes();
  if (useOwnEndpoint(name)) return <p>Events of this workspace are sent here. Send a sample, or render something.</p>;
  return (
    <>
      <p>Send events here with one click, or post anything yourself:</p>
      <Code text={`curl ${window.location.origin}/_emulator/inbox/${name} -d hello`} label="A message to the inbox" />
    </>
  );
}
