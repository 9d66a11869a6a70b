import { SearchX, Truck } from 'lucide-react';
import { useEffect } from 'react';
import { browserNow } from '../data/browser-time.ts';
import { useOnlyAccount } from '../data/chosen-account.ts';
import { lookAtDeliveries } from '../data/needs.ts';
import { usePages } from '../data/queries.ts';
import { Button } from '../pieces/button.tsx';
import { DataList } from '../pieces/data-list.tsx';
import { EmptyState } from '../pieces/empty-state.tsx';
import { ErrorNotice } from '../pieces/error-notice.tsx';
import { useFilter } from '../pieces/use-filter.ts';
import { useOpened } from '../pieces/use-opened.ts';
import { DELIVERY_COLUMNS, toneOfDelivery } from './delivery-columns.tsx';
import { ListTools } from './list-tools.tsx';
import type { Delivery } from './sent-records.ts';

const keyOf = ({ id }: Delivery) => id;

const OUTCOMES = [
  ['all', 'All'],
  ['delivered', 'Delivered'],
  ['failed', 'Failed'],
] as const;

/** What was sent, and how it was taken. */
export function DeliveriesTab() {
  const { id, open } = useOpened('webhooks');
  const [text] = useFilter('q');
  const [outcome] = useFilter('outcome', 'all');
  const params = { account_id: useOnlyAccount() };
  useEffect(() => lookAtDeliveries(new Date(browserNow()).toISOString()), []);
  const { rows, error, isPending, more } = usePages<Delivery>('/deliveries', { params });
  const shown = rows.filter(
    (row) =>
      (outcome === 'all' || row.status === outcome) &&
      `${row.id} ${row.event_id} ${row.endpoint_id} ${row.type} ${row.url} ${row.response_status} ${row.error}`
        .toLowerCase()
        .includes(text.toLowerCase()),
  );
  return (
    <>
      <ListTools label="Search deliveries" outcomes={OUTCOMES} />
      <ErrorNotice error={error} />
      <DataList
        label="Deliveries"
        rows={shown}
        columns={DELIVERY_COLUMNS}
        keyOf={keyOf}
        opened={id}
        onOpen={open}
        toneOf={toneOfDelivery}
        empty={isPending ? null : <NoDeliveries isFiltered={rows.length > 0} />}
        foot={more && <Button onClick={more}>Show older deliveries</Button>}
      />
    </>
  );
}

function NoDeliveries({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <EmptyState icon={SearchX} title="No delivery is like this">
        <p>Change the search or the filter above.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={Truck} title="Nothing has been delivered yet">
      <p>Make an endpoint, or have events sent to the inbox; then send a sample.</p>
    </EmptyState>
  );
}
