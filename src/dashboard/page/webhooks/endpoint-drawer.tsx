import { Trash2 } from 'lucide-react';
import { Link } from 'wouter';
import { callControl } from '../data/call-api.ts';
import { useStore } from '../data/page-store.ts';
import { at } from '../data/paths.ts';
import { useList } from '../data/queries.ts';
import { Act } from '../pieces/act.tsx';
import { CopyButton } from '../pieces/copy-button.tsx';
import { Notice } from '../pieces/error-notice.tsx';
import { IdChip } from '../pieces/id-chip.tsx';
import { Section } from '../pieces/page-head.tsx';
import { RecordDrawer } from '../pieces/record-drawer.tsx';
import { RelativeTime } from '../pieces/relative-time.tsx';
import { StatusBadge } from '../pieces/status-badge.tsx';
import { DeliveryState } from './delivery-columns.tsx';
import { knownSecrets } from './known-secrets.ts';
import { SendSample } from './send-sample.tsx';
import { type Delivery, type Endpoint, inboxOf } from './sent-records.ts';

/** How many of its deliveries are shown. */
const MOST = 20;

/** One endpoint: what it hears of, and how it answered. */
export function EndpointDrawer({ id, onClose }: { id: string; onClose: () => void }) {
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
          <Act
            text="Delete"
            icon={Trash2}
            act={() => callControl<void>('DELETE', `/endpoints/${id}`)}
            said={['The endpoint is gone']}
            done={onClose}
            ask={{
              title: 'Delete this endpoint?',
              note: 'Nothing is sent to its URL any more, and its secret is lost. Past deliveries stay.',
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
        <strong>Copy the signing secret now.</strong> It is told this once; this page forgets it when you leave or
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
    Inbox: inbox && (
      <Link className="named mono" href={`${at.webhooks()}?tab=inbox&inbox=${inbox}`}>
        {inbox}
      </Link>
    ),
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
      {own.length === 0 && <p className="soft">None yet: send it a sample.</p>}
      <ul className="lines framed" aria-label="Deliveries to this endpoint">
        {own.map(({ id: delivery, status, type, response_status: answer, created }) => (
          <li key={delivery}>
            <Link className="line" href={at.trail(delivery)}>
              <DeliveryState status={status} />
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
