import { Send, Webhook } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import type { WireAnswer } from '../../../control/call-operation.ts';
import type { ServiceEventType } from '../../../engine/webhooks/event-schemas.ts';
import {
  column,
  type ListSpec,
  mutedColumn,
  type OpenRowProps,
  RecordList,
  relativeTimeColumn,
} from '../components/data-list.tsx';
import { Drawer, RecordDrawer, type TabDrawerProps } from '../components/drawer.tsx';
import { type FieldSpec, FieldsForm, PopupForm } from '../components/form.tsx';
import { Notice, Section } from '../components/page-parts.tsx';
import {
  accountDisplayName,
  CopyButton,
  IdChip,
  RelativeTime,
  StatusBadge,
  shortId,
  TextLink,
} from '../components/values.tsx';
import { useAccountSelection } from '../data/account-and-clock.ts';
import { areaPathBuilders } from '../data/areas.ts';
import { PageStore, useStore } from '../data/browser.ts';
import { callControl } from '../data/call-api.ts';
import { useLocalSearch, useRecordFromList, useRows } from '../data/queries.ts';
import type { Endpoint } from '../data/records.ts';

type NewEndpoint = WireAnswer<'addEndpoint'>;

const LISTED: Record<ServiceEventType, true> = {
  'image.generation.succeeded': true,
  'image.generation.failed': true,
  'video.generation.succeeded': true,
  'video.generation.failed': true,
  'music.generation.succeeded': true,
  'music.generation.failed': true,
  'flow.run.succeeded': true,
  'flow.run.failed': true,
  'flow.run.waiting': true,
};

const EVENT_TYPES = Object.keys(LISTED) as ServiceEventType[];

const INBOX = /^\/_emulator\/inbox\/([A-Za-z0-9_-]{1,64})\/?$/;

export function inboxNameFromUrl(url: string): string | undefined {
  return URL.canParse(url) ? INBOX.exec(new URL(url).pathname)?.[1] : undefined;
}

/**
 * The signing secrets of new endpoints. The emulator returns each secret only once, and a reload of the page forgets
 * it.
 */
const knownSecrets = new PageStore<Readonly<Record<string, string>>>({});

export function rememberEndpointSecret({ id, secret }: NewEndpoint): void {
  knownSecrets.set({ ...knownSecrets.value, [id]: secret });
}

export function responseStatusCell(status: number | null, isDue: boolean) {
  return status === null ? <span className="soft">{isDue ? 'none' : '–'}</span> : <StatusBadge status={status} />;
}

function eventsCell({ events }: Endpoint) {
  const some = events.length === 1 ? events[0] : `${events.length} types`;
  return (
    <span title={events.join('\n')}>{events.length === EVENT_TYPES.length ? `all ${events.length} types` : some}</span>
  );
}

function OwnerCell({ endpoint: { workspace_id: workspace } }: { endpoint: Endpoint }) {
  const { accounts } = useAccountSelection();
  const members = accounts.filter(({ workspace_id }) => workspace_id === workspace);
  const [owner, others] = [members.at(-1), members.length - 1];
  return (
    <span dir="auto" title={workspace}>
      {owner ? accountDisplayName(owner) : shortId(workspace)}
      {others > 0 && ` + ${others}`}
    </span>
  );
}

const ENDPOINTS: ListSpec<Endpoint> = {
  label: 'Endpoints',
  columns: [
    column('URL', 'minmax(200px, 2fr)', ({ url }) => <code title={url}>{url}</code>, { line: 1, grow: true }),
    column('Events', 'minmax(120px, 1fr)', eventsCell, { line: 2, grow: true }),
    column('Account', '108px', (endpoint) => <OwnerCell endpoint={endpoint} />, { wide: true }),
    mutedColumn('Flow', '120px', ({ flowId }) => (flowId ? <code>{shortId(flowId)}</code> : 'any'), { wide: true }),
    column('Last response', '88px', (each) => responseStatusCell(each.lastStatus, each.lastDeliveryAt !== null), {
      line: 1,
    }),
    relativeTimeColumn('Last delivery', ({ lastDeliveryAt }) => lastDeliveryAt, { never: 'never', line: 2 }),
  ],
  toneOf: ({ lastStatus, lastDeliveryAt }) =>
    lastDeliveryAt !== null && (lastStatus === null || lastStatus >= 300) ? 'bad' : undefined,
  icon: Webhook,
  hint: 'An endpoint is a URL of your app that receives events. You can also use the built-in inbox.',
};

export function EndpointsTab(opening: OpenRowProps) {
  return <RecordList {...ENDPOINTS} {...opening} found={useLocalSearch(useRows('listEndpoints', {}))} />;
}

/** The id in the address of the form that creates an endpoint. */
export const NEW_ENDPOINT_ID = 'new';

export function EndpointDrawer({ id, onClose, onOpen }: TabDrawerProps) {
  const secret = useStore(knownSecrets)[id];
  const found = useRecordFromList('listEndpoints', id);
  if (id === NEW_ENDPOINT_ID) return <EndpointForm onClose={onClose} onOpen={onOpen} />;
  return (
    <RecordDrawer
      {...{ ...found, label: 'Endpoint', onClose }}
      gone="No endpoint has this id. The deliveries of a deleted endpoint are kept."
      title={({ url }) => url}
      tools={({ events }) => <SendSampleEventForm types={events} />}
      remove={() => ({
        act: () => callControl('removeEndpoint', { id }),
        toast: ['Endpoint deleted'],
        confirm: {
          title: 'Delete this endpoint?',
          note: 'Its URL receives no more events, and its secret is lost. Past deliveries are kept.',
        },
      })}
      before={() =>
        secret && (
          <Notice tone="good">
            <p>
              <strong>Copy the signing secret now.</strong> It is shown only once. This page forgets it when you leave
              or reload.
            </p>
            <p>
              <code>{secret}</code>
              <CopyButton text={secret} label="the signing secret" />
            </p>
          </Notice>
        )
      }
      details={detailsOf}
    >
      {() => <DeliveriesTo id={id} />}
    </RecordDrawer>
  );
}

function detailsOf({ id, url, events, flowId, workspace_id, createdAt, lastDeliveryAt }: Endpoint) {
  const inbox = inboxNameFromUrl(url);
  return {
    Endpoint: <IdChip id={id} />,
    URL: (
      <>
        <code>{url}</code> <CopyButton text={url} label="the URL" />
      </>
    ),
    Inbox: inbox && <TextLink href={`${areaPathBuilders.webhooks()}?tab=inbox&inbox=${inbox}`} text={inbox} />,
    Workspace: <IdChip id={workspace_id} />,
    Flow: flowId && <IdChip id={flowId} />,
    Made: <RelativeTime at={createdAt} />,
    'Last delivery': lastDeliveryAt && <RelativeTime at={lastDeliveryAt} />,
    Events: <code>{events.join(', ')}</code>,
  };
}

const MAX_DELIVERIES = 20;

function DeliveriesTo({ id }: { id: string }) {
  const { data: own = [] } = useRows('listDeliveries', { q: id, limit: MAX_DELIVERIES });
  return (
    <Section title="Deliveries">
      {own.length === 0 && <p className="soft">No deliveries yet. Send a sample event.</p>}
      <ul className="lines framed" aria-label="Deliveries to this endpoint">
        {own.map(({ id: delivery, status, type, response_status: answer, created }) => (
          <li key={delivery}>
            <Link className="line" href={areaPathBuilders.timeline(delivery)}>
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

const ALL = ['all', `All ${EVENT_TYPES.length} types`];

export function SendSampleEventForm({ types = EVENT_TYPES }: { types?: readonly ServiceEventType[] }) {
  const { account } = useAccountSelection();
  const [, navigate] = useLocation();
  const options = [...types.map((type) => [type]), ...(types.length === EVENT_TYPES.length ? [ALL] : [])];
  const send = async ({ type: chosen = '' }) => {
    const wanted = chosen === 'all' ? EVENT_TYPES : [chosen as ServiceEventType];
    const ids: string[] = [];
    for (const type of wanted) {
      ids.push((await callControl('triggerEvent', { type, workspace_id: account?.workspace_id })).id);
    }
    if (ids.length === 1) navigate(areaPathBuilders.timeline(ids[0]));
  };
  return (
    <PopupForm
      {...{ text: 'Send a sample', icon: Send, action: 'Send it', send }}
      fields={[{ name: 'type', label: 'Event', type: 'options', options, value: types[0] }]}
      isDisabled={() => account === undefined}
      toast={({ type }) => (type === 'all' ? `Sent ${types.length} samples` : `Sent a sample of ${type}`)}
    />
  );
}

const URL_FIELD: FieldSpec = {
  name: 'url',
  label: 'URL',
  type: 'text',
  placeholder: 'http://localhost:3000/events',
  note: 'An https URL of a public host, or any URL on this machine.',
};
const EVENTS: FieldSpec = {
  name: 'events',
  label: 'Events',
  type: 'checks',
  options: EVENT_TYPES.map((type) => [type]),
  value: EVENT_TYPES.join(' '),
};

function EndpointForm({ onClose, onOpen }: Omit<TabDrawerProps, 'id'>) {
  const { account } = useAccountSelection();
  const { data: flows = [] } = useRows('listFlows', {});
  const workspace_id = account?.workspace_id;
  const own = flows.filter((flow) => flow.workspace_id === workspace_id);
  const options = [['', 'Any flow'], ...own.map(({ id, name }) => [id, name])];
  const runs: FieldSpec = { name: 'flow_id', label: 'Runs of flow', type: 'options', options };
  return (
    <Drawer label="New endpoint" title="New endpoint" onClose={onClose}>
      <FieldsForm
        action="Create endpoint"
        send={({ url = '', events = '', flow_id }) => {
          const types = events.split(' ') as ServiceEventType[];
          const flow = flow_id || undefined;
          return callControl('addEndpoint', { url: url.trim(), events: types, flow_id: flow, workspace_id });
        }}
        onSuccess={(endpoint) => {
          rememberEndpointSecret(endpoint);
          onOpen(endpoint.id);
        }}
        fields={({ events = EVENTS.value ?? '' }) => [URL_FIELD, EVENTS, ...(events.includes('flow.') ? [runs] : [])]}
        isDisabled={({ url, events }) => !account || url === '' || events === ''}
      />
    </Drawer>
  );
}
