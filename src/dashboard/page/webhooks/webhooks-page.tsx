import { Plus } from 'lucide-react';
import type { DrawerOf } from '../pieces/drawer.tsx';
import { Button } from '../pieces/page-parts.tsx';
import { TabbedArea } from '../pieces/tabbed-area.tsx';
import { DeliveriesTab } from './deliveries-tab.tsx';
import { EndpointForm, SendSample } from './endpoint-form.tsx';
import { EndpointDrawer, EndpointsTab } from './endpoints.tsx';
import { InboxTab } from './inbox-tab.tsx';
import { MessageDrawer } from './message-drawer.tsx';
import { ReportCardTab } from './report-card-tab.tsx';
import './webhooks.css';

/** The address of the form that makes an endpoint. */
const NEW = 'new';

/** What was told to whom: deliveries, endpoints, and the built-in inbox. */
export default function WebhooksPage() {
  return (
    <TabbedArea
      area="webhooks"
      title="Webhooks"
      tabs={[
        { name: 'deliveries', text: 'Deliveries', Contents: DeliveriesTab },
        { name: 'endpoints', text: 'Endpoints', Contents: EndpointsTab, Drawer: EndpointOrNew, ids: ['we_', NEW] },
        { name: 'inbox', text: 'Inbox', Contents: InboxTab, Drawer: MessageDrawer, ids: ['msg_'], isOfService: true },
        { name: 'card', text: 'Report card', Contents: ReportCardTab, isOfService: true },
      ]}
      tools={(_tab, { opened, onOpen }) => (
        <>
          <SendSample />
          {!opened && <Button isOfService text="New endpoint" icon={Plus} onClick={() => onOpen(NEW)} />}
        </>
      )}
    />
  );
}

function EndpointOrNew(props: DrawerOf) {
  return props.id === NEW ? <EndpointForm {...props} /> : <EndpointDrawer {...props} />;
}
