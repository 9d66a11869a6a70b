import { Plus, RotateCcw, ShieldAlert, Truck } from 'lucide-react';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { durationText } from '../../../control/orders/timeline-entry.ts';
import { column, type ListSpec, mutedColumn, RecordList, TIME_COLUMN } from '../components/data-list.tsx';
import { TabbedPage } from '../components/drawer.tsx';
import { Button, LiveOnly } from '../components/page-parts.tsx';
import { StatusBadge, TonedText } from '../components/values.tsx';
import { deliveriesSeenAt } from '../data/alerts.ts';
import { areaPathBuilders } from '../data/areas.ts';
import { browserNow } from '../data/browser.ts';
import { useFilteredRecords } from '../data/queries.ts';
import type { Delivery } from '../data/records.ts';
import {
  EndpointDrawer,
  EndpointsTab,
  NEW_ENDPOINT_ID,
  responseStatusCell,
  SendSampleEventForm,
} from './endpoints.tsx';
import { InboxTab, MessageDrawer, ReceiverChecksTab } from './inbox-tab.tsx';

export default function WebhooksPage() {
  return (
    <TabbedPage
      area="webhooks"
      title="Webhooks"
      tabs={[
        { name: 'deliveries', text: 'Deliveries', Contents: DeliveriesTab },
        {
          name: 'endpoints',
          text: 'Endpoints',
          Contents: EndpointsTab,
          Drawer: EndpointDrawer,
          ids: ['we_', NEW_ENDPOINT_ID],
        },
        { name: 'inbox', text: 'Inbox', Contents: InboxTab, Drawer: MessageDrawer, ids: ['msg_'], isLiveOnly: true },
        { name: 'card', text: 'Report card', Contents: ReceiverChecksTab, isLiveOnly: true },
      ]}
      tools={(_tab, { opened, onOpen }) => (
        <>
          <SendSampleEventForm />
          <LiveOnly>
            {!opened && <Button text="New endpoint" icon={Plus} onClick={() => onOpen(NEW_ENDPOINT_ID)} />}
          </LiveOnly>
        </>
      )}
    />
  );
}

const DELIVERIES: ListSpec<Delivery> = {
  label: 'Deliveries',
  columns: [
    TIME_COLUMN,
    column('Status', '80px', ({ status }) => <StatusBadge status={status} />, { line: 1 }),
    column('Event', 'minmax(180px, 1fr)', ({ type }) => type, { line: 1, grow: true }),
    mutedColumn('To', 'minmax(160px, 2fr)', ({ url }) => <code title={url}>{url}</code>, { line: 2, grow: true }),
    column('Notes', 'minmax(80px, 1fr)', remarksOf, { wide: true }),
    column('Response', '72px', (each) => responseStatusCell(each.response_status, each.status === 'failed'), {
      line: 1,
    }),
    mutedColumn('Duration', '72px', ({ duration_ms: ms }) => (ms === null ? '–' : durationText(ms)), {
      align: 'end',
      line: 2,
    }),
  ],
  toneOf: ({ status, fault }) => (status === 'failed' ? 'bad' : fault === null ? undefined : 'wait'),
  choices: { name: 'status', label: 'Outcome', options: { all: 'All', delivered: 'Delivered', failed: 'Failed' } },
  icon: Truck,
  hint: 'Create an endpoint or use the inbox, then send a sample event.',
};

function DeliveriesTab() {
  const [, navigate] = useLocation();
  useEffect(() => deliveriesSeenAt.set(new Date(browserNow()).toISOString()), []);
  const found = useFilteredRecords('listDeliveries', {}, DELIVERIES);
  return <RecordList {...DELIVERIES} found={found} onOpen={(id) => navigate(areaPathBuilders.timeline(id))} />;
}

function remarksOf({ redelivery_of: first, fault, error }: Delivery) {
  return (
    <span className="row">
      {fault && (
        <TonedText tone="wait">
          <ShieldAlert aria-hidden /> {fault.replaceAll('_', ' ')}
        </TonedText>
      )}
      {first && (
        <span className="soft">
          <RotateCcw aria-hidden /> redelivery
        </span>
      )}
      {error && (
        <span className="toned cut" data-tone="bad" title={error}>
          {error}
        </span>
      )}
    </span>
  );
}
