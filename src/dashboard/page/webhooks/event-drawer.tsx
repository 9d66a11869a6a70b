import { useList, useRecord } from '../data/queries.ts';
import { Drawer } from '../pieces/drawer.tsx';
import { ErrorNotice } from '../pieces/error-notice.tsx';
import { IdChip } from '../pieces/id-chip.tsx';
import { JsonView } from '../pieces/json-view.tsx';
import { Facts, Section } from '../pieces/page-head.tsx';
import { RelativeTime } from '../pieces/relative-time.tsx';
import { DeliveryLines } from './delivery-lines.tsx';
import type { Delivery, EventRecord } from './sent-records.ts';

/** One event: its envelope, and to whom it went. */
export function EventDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error } = useRecord<EventRecord>(`/events/${id}`);
  const event = data?.id === id ? data : undefined;
  return (
    <Drawer label="Event" title={event?.type ?? id} onClose={onClose}>
      <ErrorNotice error={event ? undefined : error} />
      {event && <EventContents event={event} />}
    </Drawer>
  );
}

function EventContents({ event }: { event: EventRecord }) {
  const { id, account_id, workspace_id, created, envelope } = event;
  const { data: deliveries = [] } = useList<Delivery>('/deliveries', { params: { account_id } });
  const own = deliveries.filter(({ event_id }) => event_id === id);
  const facts = {
    Event: <IdChip id={id} />,
    Account: <IdChip id={account_id} />,
    Workspace: <IdChip id={workspace_id} />,
    Time: <RelativeTime at={created} />,
  };
  return (
    <>
      <Section title="Facts">
        <Facts facts={facts} />
      </Section>
      <Section title="Deliveries">
        <DeliveryLines
          deliveries={own}
          label="Deliveries of this event"
          empty="No endpoint subscribed to it when it happened."
        />
      </Section>
      <Section title="Envelope">
        <JsonView value={envelope} label="Envelope as JSON" />
      </Section>
    </>
  );
}
