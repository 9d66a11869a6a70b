import { Inbox, Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { callControl } from '../data/call-api.ts';
import { useAccounts } from '../data/chosen-account.ts';
import { useAct, useList } from '../data/queries.ts';
import { Button } from '../pieces/button.tsx';
import { Confirm } from '../pieces/confirm.tsx';
import { DataList } from '../pieces/data-list.tsx';
import { EmptyState } from '../pieces/empty-state.tsx';
import { ErrorNotice } from '../pieces/error-notice.tsx';
import { IdChip } from '../pieces/id-chip.tsx';
import { Code } from '../pieces/json-view.tsx';
import { SelectField } from '../pieces/select-field.tsx';
import { say, sayError } from '../pieces/toast.tsx';
import { useOpened } from '../pieces/use-opened.ts';
import { keepSecret } from './known-secrets.ts';
import { MESSAGE_COLUMNS, toneOfMessage } from './message-columns.tsx';
import { type Endpoint, inboxOf, type Message } from './sent-records.ts';
import { useInboxes } from './use-inboxes.ts';

const keyOf = ({ id }: Message) => id;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** A receiver that is always there, and what it was sent. */
export function InboxTab() {
  const { id, open } = useOpened('webhooks');
  const { name } = useInboxes();
  const path = `/inbox/${name}/messages`;
  const { data: rows = [], error, isPending } = useList<Message>(path);
  return (
    <>
      <InboxTools hasMessages={rows.length > 0} />
      <ErrorNotice error={error} />
      <DataList
        label="Messages"
        rows={rows}
        columns={MESSAGE_COLUMNS}
        keyOf={keyOf}
        opened={id}
        onOpen={open}
        toneOf={toneOfMessage}
        empty={isPending ? null : <NoMessages />}
      />
    </>
  );
}

function InboxTools({ hasMessages }: { hasMessages: boolean }) {
  const { name, names, choose } = useInboxes();
  const endpoint = useOwnEndpoint(name);
  const clear = useAct(() => callControl<void>('DELETE', `/inbox/${name}/messages`));
  const options = names.map((each) => ({ value: each, text: each }));
  return (
    <div className="hook-tools">
      <SelectField label="Inbox" value={name} options={options} onChange={choose} />
      <OpenAnother onOpen={choose} />
      <span className="page-head-gap" />
      {endpoint ? (
        <span className="soft">
          Events come by <IdChip id={endpoint.id} />
        </span>
      ) : (
        <SendHere name={name} />
      )}
      {hasMessages && (
        <Confirm
          trigger={<Button look="quiet" icon={<Trash2 aria-hidden />} aria-label="Empty the inbox" />}
          title={`Empty the inbox ${name}?`}
          note="Its messages are forgotten. Deliveries and events stay."
          action="Empty"
          onConfirm={() => clear.mutate(undefined, { onError: sayError })}
        />
      )}
    </div>
  );
}

/** An inbox is there as soon as it is named. */
function OpenAnother({ onOpen }: { onOpen: (name: string) => void }) {
  const [typed, setTyped] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onOpen(typed);
    setTyped('');
  };
  return (
    <form className="hook-another" onSubmit={submit}>
      <input
        className="input"
        aria-label="Another inbox"
        placeholder="Another inbox"
        title="Letters, digits, dashes and underscores"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Button type="submit" disabled={!NAME.test(typed)}>
        Open
      </Button>
    </form>
  );
}

/** The endpoint of the chosen account's workspace that leads to an inbox. */
function useOwnEndpoint(name: string): Endpoint | undefined {
  const { account } = useAccounts();
  const { data: endpoints = [] } = useList<Endpoint>('/endpoints');
  return endpoints.find(({ url, workspace_id }) => inboxOf(url) === name && workspace_id === account?.workspace_id);
}

function SendHere({ name }: { name: string }) {
  const { account } = useAccounts();
  const send = useAct(
    (order: object) => callControl<Endpoint & { secret: string }>('POST', '/endpoints', order),
    ({ id, secret }) => {
      keepSecret(id, secret);
      say('Events are sent here', 'From now on, every event of this workspace.', 'good');
    },
  );
  const order = { inbox: name, workspace_id: account?.workspace_id };
  return (
    <Button
      look="primary"
      icon={<Inbox aria-hidden />}
      disabled={send.isPending}
      onClick={() => send.mutate(order, { onError: sayError })}
    >
      Send events here
    </Button>
  );
}

function NoMessages() {
  const { name } = useInboxes();
  const endpoint = useOwnEndpoint(name);
  return (
    <EmptyState icon={Inbox} title={`Nothing has come to the inbox “${name}” yet`}>
      {endpoint ? (
        <p>Events of this workspace are sent here. Send a sample, or make something.</p>
      ) : (
        <p>Have events sent here by one click, or send it anything yourself:</p>
      )}
      {!endpoint && (
        <Code text={`curl ${window.location.origin}/_emulator/inbox/${name} -d hello`} label="A message to the inbox" />
      )}
    </EmptyState>
  );
}
