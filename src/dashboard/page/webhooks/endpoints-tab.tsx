import { Webhook } from 'lucide-react';
import { useAccounts } from '../data/chosen-account.ts';
import { accountName } from '../pieces/account-name.ts';
import type { Column } from '../pieces/column.ts';
import { shortId } from '../pieces/id-chip.tsx';
import { ListTools } from '../pieces/list-tools.tsx';
import { RecordList } from '../pieces/record-list.tsx';
import { StatusBadge, type Tone } from '../pieces/status-badge.tsx';
import { agoColumn, softColumn } from '../pieces/time-column.tsx';
import { useOpened } from '../pieces/use-opened.ts';
import { useWhole } from '../pieces/use-whole.ts';
import { type Endpoint, EVENT_TYPES } from './sent-records.ts';

const COLUMNS: readonly Column<Endpoint>[] = [
  {
    title: 'URL',
    width: 'minmax(200px, 2fr)',
    cell: ({ url }) => <code title={url}>{url}</code>,
    line: 1,
    grow: true,
  },
  {
    title: 'Events',
    width: 'minmax(120px, 1fr)',
    cell: ({ events }) => <span title={events.join('\n')}>{eventsText(events)}</span>,
    line: 2,
    grow: true,
  },
  { title: 'Account', width: '108px', cell: (endpoint) => <OwnerCell endpoint={endpoint} />, wide: true },
  softColumn('Flow', '120px', ({ flowId }) => (flowId ? <code>{shortId(flowId)}</code> : 'any'), { wide: true }),
  {
    title: 'Last answer',
    width: '88px',
    cell: ({ lastStatus, lastDeliveryAt }) =>
      lastStatus === null ? (
        <span className="soft">{lastDeliveryAt ? 'none' : '–'}</span>
      ) : (
        <StatusBadge status={lastStatus} />
      ),
    line: 1,
  },
  agoColumn('Last delivery', ({ lastDeliveryAt }) => lastDeliveryAt, { never: 'never', line: 2 }),
];

/** The account of its workspace that came first: an endpoint hears of all of them. */
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

/** Who is told of what. */
export function EndpointsTab() {
  const { id, open } = useOpened('webhooks');
  const found = useWhole<Endpoint>('/endpoints');
  return (
    <>
      <ListTools label="Search endpoints" />
      <RecordList
        label="Endpoints"
        {...{ found, columns: COLUMNS, opened: id, onOpen: open, toneOf: toneOfEndpoint, none: NONE }}
        isFiltered={found.all.length > 0}
      />
    </>
  );
}

const NONE = {
  icon: Webhook,
  title: 'Nobody is told of anything yet',
  children: <p>An endpoint is a URL of yours that is sent events. The built-in inbox will do too.</p>,
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
