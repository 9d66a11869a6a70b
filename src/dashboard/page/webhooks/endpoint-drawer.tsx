import { Send, Trash2 } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import { useAccounts } from '../data/account-and-clock.ts';
import { at } from '../data/addresses.ts';
import { PageStore, useStore } from '../data/browser.ts';
import { callControl } from '../data/call-api.ts';
import { useList } from '../data/queries.ts';
import { ActionButton } from '../pieces/action-button.tsx';
import { type DrawerOf, RecordDrawer } from '../pieces/drawer.tsx';
import { PopupForm } from '../pieces/form.tsx';
import { Notice, Section } from '../pieces/page-parts.tsx';
import { CopyButton, IdChip, RelativeTime, StatusBadge, TextLink } from '../pieces/values.tsx';
import { type Delivery, type Endpoint, EVENT_TYPES, type EventType, inboxOf } from './webhook-records.ts';

/** How many of its deliveries are shown. */
const MOST = 20;

/** One endpoint: the events it receives, and its last answers. */
export function EndpointDrawer({ id, onClose }: DrawerOf) {
  const { data, error } = useList<Endpoint>('/endpoints');
  const secret = useStore(knownSecrets)[id];
  return (
    <RecordDrawer
      {...{ label: 'Endpoint', id, error, onClose }}
      record={data?.find((each) => each.id === id)}
      gone={data && 'There is no such endpoint any more. Its deliveries stay.'}
      title={({ url }) => url}
      tools={({ events }) => (
        <>
          <SendSample types={events} />
          <ActionButton
            text="Delete"
            icon={Trash2}
            act={() => callControl<void>('DELETE', `/endpoints/${id}`)}
            toast={['The endpoint is gone']}
            onSuccess={onClose}
            confirm={{
              title: 'Delete this endpoint?',
              note: 'Its URL gets no more events and its secret is lost. Past deliveries are kept.',
            }}
          />
        </>
      )}
      before={() => secret && <SecretNotice secret={secret} />}
      facts={factsOf}
    >
      {() => <DeliveriesTo id={id} />}
    </RecordDrawer>
  );
}

/** The secret of an endpoint that was made on this page. */
function SecretNotice({ secret }: { secret: string }) {
  return (
    <Notice tone="good">
      <p>
        <strong>Copy the signing secret now.</strong> It is shown this once; this page forgets it when you leave or
        reload.
      </p>
      <p>
        <code>{secret}</code>
        <CopyButton text={secret} label="the signing secret" />
      </p>
    </Notice>
  );
}

function factsOf({ id, url, events, flowId, workspace_id, createdAt, lastDeliveryAt }: Endpoint) {
  const inbox = inboxOf(url);
  return {
    Endpoint: <IdChip id={id} />,
    URL: (
      <>
        <code>{url}</code> <CopyButton text={url} label="the URL" />
      </>
    ),
    Inbox: inbox && <TextLink href={`${at.webhooks()}?tab=inbox&inbox=${inbox}`} text={inbox} />,
    Workspace: <IdChip id={workspace_id} />,
    Flow: flowId && <IdChip id={flowId} />,
    Made: <RelativeTime at={createdAt} />,
    'Last delivery': lastDeliveryAt && <RelativeTime at={lastDeliveryAt} />,
    Events: <code>{events.join(', ')}</code>,
  };
}

function DeliveriesTo({ id }: { id: string }) {
  const { data = [] } = useList<Delivery>('/deliveries');
  const own = data.filter(({ endpoint_id }) => endpoint_id === id).slice(0, MOST);
  return (
    <Section title="Deliveries">
      {own.length === 0 && <p className="soft">No deliveries yet. Send a sample event.</p>}
      <ul className="lines framed" aria-label="Deliveries to this endpoint">
        {own.map(({ id: delivery, status, type, response_status: answer, created }) => (
          <li key={delivery}>
            <Link className="line" href={at.trail(delivery)}>
              <StatusBadge status={status} />
              <span className="cut grow">{type}</span>
              {answer !== null && <StatusBadge status={answer} />}
              <span className="soft">
                <RelativeTime at={created} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const ALL = ['all', `All ${EVENT_TYPES.length} of them`];

/** Makes up an event of one of these types, and sends it on the way of the real ones. */
export function SendSample({ types = EVENT_TYPES }: { types?: readonly EventType[] }) {
  const { account } = useAccounts();
  const [, navigate] = useLocation();
  const options = [...types.map((type) => [type]), ...(types.length === EVENT_TYPES.length ? [ALL] : [])];
  const send = async ({ type: chosen = '' }) => {
    const wanted = chosen === 'all' ? EVENT_TYPES : [chosen];
    const ids: string[] = [];
    for (const type of wanted) {
      const order = { type, workspace_id: account?.workspace_id };
      ids.push((await callControl<{ id: string }>('POST', '/events/trigger', order)).id);
    }
    if (ids.length === 1) navigate(at.trail(ids[0]));
  };
  return (
    <PopupForm
      {...{ text: 'Send a sample', icon: Send, action: 'Send it', send }}
      fields={[{ name: 'type', label: 'Event', type: 'options', options, value: types[0] }]}
      toast={({ type }) => (type === 'all' ? `Sent ${types.length} samples` : `Sent a sample of ${type}`)}
    />
  );
}

/** Secrets of the endpoints that were made on this page, by id: they are answered only once, and a reload forgets them. */
const knownSecrets = new PageStore<Readonly<Record<string, string>>>({});

export function keepSecret(endpointId: string, secret: string): void {
  knownSecrets.set({ ...knownSecrets.value, [endpointId]: secret });
}
