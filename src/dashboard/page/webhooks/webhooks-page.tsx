import { Plus, RotateCcw, ShieldAlert, Truck } from 'lucide-react';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { lengthText } from '../../../control/orders/timeline-scale.ts';
import { at, useFilter } from '../data/addresses.ts';
import { markDeliveriesSeen } from '../data/alerts.ts';
import { browserNow } from '../data/browser.ts';
import { type Column, column, softColumn, TIME_COLUMN } from '../pieces/data-list.tsx';
import { type DrawerOf, TabbedArea } from '../pieces/drawer.tsx';
import { Button } from '../pieces/page-parts.tsx';
import { RecordList, useRecords } from '../pieces/record-list.tsx';
import { StatusBadge, type Tone, Toned } from '../pieces/values.tsx';
import { EndpointDrawer, SendSample } from './endpoint-drawer.tsx';
import { answerCell, EndpointForm, EndpointsTab } from './endpoints.tsx';
import { InboxTab, MessageDrawer, ReportCardTab } from './inbox-tab.tsx';
import type { Delivery } from './webhook-records.ts';

/** The address of the form that makes an endpoint. */
const NEW = 'new';

/** Deliveries, endpoints and the built-in inbox. */
export default function WebhooksPage() {
  return (
    <TabbedArea
      area="webhooks"
      title="Webhooks"
      tabs={[
        { name: 'deliveries', text: 'Deliveries', Contents: DeliveriesTab },
        { name: 'endpoints', text: 'Endpoints', Contents: EndpointsTab, Drawer: EndpointOrNew, ids: ['we_', NEW] },
        { name: 'inbox', text: 'Inbox', Contents: InboxTab, Drawer: MessageDrawer, ids: ['msg_'], isLiveOnly: true },
        { name: 'card', text: 'Report card', Contents: ReportCardTab, isLiveOnly: true },
      ]}
      tools={(_tab, { opened, onOpen }) => (
        <>
          <SendSample />
          {!opened && <Button isLiveOnly text="New endpoint" icon={Plus} onClick={() => onOpen(NEW)} />}
        </>
      )}
    />
  );
}

function EndpointOrNew(props: DrawerOf) {
  return props.id === NEW ? <EndpointForm {...props} /> : <EndpointDrawer {...props} />;
}

const OUTCOMES = Object.entries({ all: 'All', delivered: 'Delivered', failed: 'Failed' });

const NONE = {
  ...{ icon: Truck, title: 'Nothing has been delivered yet' },
  description: 'Make an endpoint or use the inbox, then send a sample event.',
};

/** What was sent, and how it was taken; each opens as the trail of its order. */
function DeliveriesTab() {
  const [, navigate] = useLocation();
  const [outcome] = useFilter('status', 'all');
  useEffect(() => markDeliveriesSeen(new Date(browserNow()).toISOString()), []);
  const params = { status: outcome === 'all' ? undefined : outcome };
  const found = useRecords<Delivery>('/deliveries', { params });
  return (
    <RecordList
      {...{ label: 'Deliveries', search: 'Search deliveries', columns: DELIVERY_COLUMNS, toneOf: toneOfDelivery }}
      {...{ found, none: NONE, onOpen: (id: string) => navigate(at.trail(id)) }}
      choices={{ name: 'status', label: 'Outcome', options: OUTCOMES }}
    />
  );
}

const DELIVERY_COLUMNS: readonly Column<Delivery>[] = [
  TIME_COLUMN,
  column('Status', '80px', ({ status }) => <StatusBadge status={status} />, { line: 1 }),
  column('Event', 'minmax(180px, 1fr)', ({ type }) => type, { line: 1, grow: true }),
  softColumn('To', 'minmax(160px, 2fr)', ({ url }) => <code title={url}>{url}</code>, { line: 2, grow: true }),
  column('Remarks', 'minmax(80px, 1fr)', remarksOf, { wide: true }),
  column('Answer', '56px', ({ response_status, status }) => answerCell(response_status, status === 'failed'), {
    line: 1,
  }),
  softColumn('Duration', '72px', ({ duration_ms: ms }) => (ms === null ? '–' : lengthText(ms)), {
    align: 'end',
    line: 2,
  }),
];

function toneOfDelivery({ status, fault }: Delivery): Tone | undefined {
  if (status === 'failed') return 'bad';
  return fault === null ? undefined : 'wait';
}

function remarksOf({ redelivery_of: first, fault, error }: Delivery) {
  return (
    <span className="row">
      {fault && (
        <Toned tone="wait">
          <ShieldAlert aria-hidden /> {fault.replaceAll('_', ' ')}
        </Toned>
      )}
      {first && (
        <span className="soft">
          <RotateCcw aria-hidden /> again
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
