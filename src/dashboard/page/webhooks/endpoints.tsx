import { Webhook } from 'lucide-react';
import { useAccounts } from '../data/account-and-clock.ts';
import { callControl } from '../data/call-api.ts';
import { useList, useWholeList } from '../data/queries.ts';
import { agoColumn, type Column, column, softColumn } from '../pieces/data-list.tsx';
import { Drawer, type DrawerOf } from '../pieces/drawer.tsx';
import { FieldsForm } from '../pieces/form.tsx';
import type { Draft, FieldSpec } from '../pieces/form-field.tsx';
import { type OpenRow, RecordList } from '../pieces/record-list.tsx';
import { accountName, StatusBadge, shortId, type Tone } from '../pieces/values.tsx';
import { keepSecret } from './endpoint-drawer.tsx';
import { type Endpoint, EVENT_TYPES } from './webhook-records.ts';

const COLUMNS: readonly Column<Endpoint>[] = [
  column('URL', 'minmax(200px, 2fr)', ({ url }) => <code title={url}>{url}</code>, { line: 1, grow: true }),
  column('Events', 'minmax(120px, 1fr)', ({ events }) => <span title={events.join('\n')}>{eventsText(events)}</span>, {
    line: 2,
    grow: true,
  }),
  column('Account', '108px', (endpoint) => <OwnerCell endpoint={endpoint} />, { wide: true }),
  softColumn('Flow', '120px', ({ flowId }) => (flowId ? <code>{shortId(flowId)}</code> : 'any'), { wide: true }),
  column('Last answer', '88px', (each) => answerCell(each.lastStatus, each.lastDeliveryAt !== null), { line: 1 }),
  agoColumn('Last delivery', ({ lastDeliveryAt }) => lastDeliveryAt, { never: 'never', line: 2 }),
];

/** The status that a receiver answered; `isDue`: it was asked, and should have. */
export function answerCell(status: number | null, isDue: boolean) {
  return status === null ? <span className="soft">{isDue ? 'none' : '–'}</span> : <StatusBadge status={status} />;
}

/** The first account of its workspace: an endpoint receives the events of the whole workspace. */
function OwnerCell({ endpoint: { workspace_id: workspace } }: { endpoint: Endpoint }) {
  const { accounts } = useAccounts();
  const members = accounts.filter(({ workspace_id }) => workspace_id === workspace);
  const [owner, others] = [members.at(-1), members.length - 1];
  return (
    <span dir="auto" title={workspace}>
      {owner ? accountName(owner) : shortId(workspace)}
      {others > 0 && ` + ${others}`}
    </span>
  );
}

/** The endpoints and the events they receive. */
export function EndpointsTab(opening: OpenRow) {
  const found = useWholeList<Endpoint>('/endpoints');
  return (
    <RecordList
      {...{ label: 'Endpoints', search: 'Search endpoints', columns: COLUMNS, toneOf: toneOfEndpoint, none: NONE }}
      {...{ found, ...opening }}
    />
  );
}

const NONE = {
  ...{ icon: Webhook, title: 'No endpoints yet' },
  description: 'An endpoint is a URL of yours that is sent events. The built-in inbox will do too.',
};

/** `all 9 types`, `image.generation.failed`, `3 types`. */
function eventsText(events: readonly string[]): string {
  if (events.length === EVENT_TYPES.length) return `all ${events.length} types`;
  return events.length === 1 ? String(events[0]) : `${events.length} types`;
}

function toneOfEndpoint({ lastStatus, lastDeliveryAt }: Endpoint): Tone | undefined {
  if (lastDeliveryAt === null) return undefined;
  return lastStatus === null || lastStatus >= 300 ? 'bad' : undefined;
}

const URL_FIELD: FieldSpec = {
  ...{ name: 'url', label: 'URL', type: 'text', placeholder: 'http://localhost:3000/events' },
  note: 'An https URL of a public host, or any URL of this machine.',
};
const EVENTS: FieldSpec = {
  ...{ name: 'events', label: 'Events', type: 'checks', options: EVENT_TYPES.map((type) => [type]) },
  value: EVENT_TYPES.join(' '),
};

/** Makes an endpoint of the chosen account's workspace, and shows its secret. */
export function EndpointForm({ onClose, onOpen }: DrawerOf) {
  const { account } = useAccounts();
  const { data: flows = [] } = useList<{ id: string; name: string; workspace_id: string }>('/flows');
  const workspace_id = account?.workspace_id;
  const own = flows.filter((flow) => flow.workspace_id === workspace_id);
  const options = [['', 'Any flow'], ...own.map(({ id, name }) => [id, name])];
  const runs: FieldSpec = { name: 'flow_id', label: 'Runs of', type: 'options', options };
  const fieldsOf = ({ events = EVENTS.value ?? '' }: Draft) =>
    events.includes('flow.') ? [URL_FIELD, EVENTS, runs] : [URL_FIELD, EVENTS];
  const make = ({ url = '', events = '', flow_id }: Draft) => {
    const order = { url: url.trim(), events: events.split(' '), flow_id: flow_id || null, workspace_id };
    return callControl<Endpoint & { secret: string }>('POST', '/endpoints', order);
  };
  const made = ({ id, secret }: Endpoint & { secret: string }) => {
    keepSecret(id, secret);
    onOpen(id);
  };
  return (
    <Drawer label="New endpoint" title="New endpoint" onClose={onClose}>
      <FieldsForm
        {...{ fields: fieldsOf, send: make, onSuccess: made, action: 'Make the endpoint' }}
        disabledReason={({ url, events }) => url === '' || events === ''}
      />
    </Drawer>
  );
}
