import { Trash2 } from 'lucide-react';
import { Link } from 'wouter';
import { callControl } from '../data/call-api.ts';
import { useStore } from '../data/page-store.ts';
import { at } from '../data/paths.ts';
import { useAct, useList } from '../data/queries.ts';
import { Button } from '../pieces/button.tsx';
import { Confirm } from '../pieces/confirm.tsx';
import { CopyButton } from '../pieces/copy-button.tsx';
import { Drawer } from '../pieces/drawer.tsx';
import { ErrorNotice, Notice } from '../pieces/error-notice.tsx';
import { IdChip } from '../pieces/id-chip.tsx';
import { Facts, Section } from '../pieces/page-head.tsx';
import { RelativeTime } from '../pieces/relative-time.tsx';
import { say, sayError } from '../pieces/toast.tsx';
import { DeliveryLines } from './delivery-lines.tsx';
import { knownSecrets } from './known-secrets.ts';
import { SendSample } from './send-sample.tsx';
import { type Delivery, type Endpoint, inboxOf } from './sent-records.ts';

/** How many of its deliveries are shown. */
const MOST = 20;

/** One endpoint: what it hears of, and how it answered. */
export function EndpointDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error } = useList<Endpoint>('/endpoints');
  const endpoint = data?.find((each) => each.id === id);
  return (
    <Drawer label="Endpoint" title={endpoint?.url ?? id} onClose={onClose}>
      <ErrorNotice error={error} />
      {data && !endpoint && <Notice tone="wait">There is no such endpoint any more. Its deliveries stay.</Notice>}
      {endpoint && <EndpointContents endpoint={endpoint} onClose={onClose} />}
    </Drawer>
  );
}

function EndpointContents({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const { id, events } = endpoint;
  const secret = useStore(knownSecrets)[id];
  const { data: deliveries = [] } = useList<Delivery>('/deliveries');
  const own = deliveries.filter(({ endpoint_id }) => endpoint_id === id).slice(0, MOST);
  return (
    <>
      <div className="hook-buttons">
        <SendSample types={events} onSent={() => undefined} />
        <RemoveButton id={id} onRemoved={onClose} />
      </div>
      {secret && <SecretNotice secret={secret} />}
      <Section title="Facts">
        <Facts facts={factsOf(endpoint)} />
      </Section>
      <Section title="Events">
        <ul className="hook-types">
          {events.map((type) => (
            <li key={type}>
              <code>{type}</code>
            </li>
          ))}
        </ul>
      </Section>
      <Section title="Deliveries">
        <DeliveryLines
          deliveries={own}
          label="Deliveries to this endpoint"
          empty="None yet: send it a sample."
          byType
        />
      </Section>
    </>
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
      <p className="hook-secret">
        <code>{secret}</code>
        <CopyButton text={secret} label="the signing secret" />
      </p>
    </Notice>
  );
}

function factsOf({ id, url, flowId, workspace_id, createdAt, lastDeliveryAt }: Endpoint) {
  const inbox = inboxOf(url);
  return {
    Endpoint: <IdChip id={id} />,
    URL: (
      <>
        <code>{url}</code> <CopyButton text={url} label="the URL" />
      </>
    ),
    Inbox: inbox && (
      <Link className="named" href={`${at.webhooks()}?tab=inbox&inbox=${inbox}`}>
        {inbox}
      </Link>
    ),
    Workspace: <IdChip id={workspace_id} />,
    Flow: flowId && <IdChip id={flowId} />,
    Made: <RelativeTime at={createdAt} />,
    'Last delivery': lastDeliveryAt && <RelativeTime at={lastDeliveryAt} />,
  };
}

function RemoveButton({ id, onRemoved }: { id: string; onRemoved: () => void }) {
  const remove = useAct(
    () => callControl<void>('DELETE', `/endpoints/${id}`),
    () => {
      say('The endpoint is gone');
      onRemoved();
    },
  );
  return (
    <Confirm
      trigger={<Button icon={<Trash2 aria-hidden />}>Delete</Button>}
      title="Delete this endpoint?"
      note="Nothing is sent to its URL any more, and its secret is lost. Past deliveries stay."
      action="Delete"
      onConfirm={() => remove.mutate(undefined, { onError: sayError })}
    />
  );
}
