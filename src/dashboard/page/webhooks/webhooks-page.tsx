import { Plus } from 'lucide-react';
import { recordSource } from '../data/call-api.ts';
import { Choices } from '../pieces/choices.tsx';
import { Split } from '../pieces/drawer.tsx';
import { Button, OfService, PageHead } from '../pieces/page-parts.tsx';
import { useTab } from '../pieces/use-address.ts';
import { DeliveriesTab } from './deliveries-tab.tsx';
import { EndpointForm, SendSample } from './endpoint-form.tsx';
import { EndpointDrawer, EndpointsTab } from './endpoints.tsx';
import { InboxTab } from './inbox-tab.tsx';
import { MessageDrawer } from './message-drawer.tsx';
import { ReportCardTab } from './report-card-tab.tsx';
import './webhooks.css';

const TABS = [
  ['deliveries', 'Deliveries'],
  ['endpoints', 'Endpoints'],
  ['inbox', 'Inbox'],
  ['card', 'Report card'],
] as const;

/** A record knows of nothing that came to the inbox. */
const RECORDED = TABS.slice(0, 2);

/** The address of the form that makes an endpoint. */
const NEW = 'new';

const TAB_OF_ID: readonly (readonly [string, string])[] = [
  ['we_', 'endpoints'],
  [NEW, 'endpoints'],
  ['msg_', 'inbox'],
];

const tabOf = (id: string) => TAB_OF_ID.find(([prefix]) => id.startsWith(prefix))?.[1];

const CONTENTS = {
  deliveries: DeliveriesTab,
  endpoints: EndpointsTab,
  inbox: InboxTab,
  card: ReportCardTab,
} as const;

/** What was told to whom: deliveries, endpoints, and the built-in inbox. */
export default function WebhooksPage() {
  const { id, open, close, tab, change } = useTab('webhooks', { fallback: 'deliveries', tabOf });
  const Contents = CONTENTS[tab as keyof typeof CONTENTS] ?? DeliveriesTab;
  return (
    <Split drawer={id && <WebhookDrawer id={id} onClose={close} />}>
      <PageHead title="Webhooks">
        <Choices label="Show" value={tab} options={recordSource.value ? RECORDED : TABS} onChange={change} />
        <span className="grow" />
        <SendSample />
        {!id && (
          <OfService>
            <Button icon={Plus} onClick={() => open(NEW)}>
              New endpoint
            </Button>
          </OfService>
        )}
      </PageHead>
      <Contents />
    </Split>
  );
}

function WebhookDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  if (id === NEW) return <EndpointForm onClose={onClose} />;
  if (id.startsWith('msg_')) return <MessageDrawer id={id} onClose={onClose} />;
  return <EndpointDrawer id={id} onClose={onClose} />;
}
