import { Truck } from 'lucide-react';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { browserNow } from '../data/browser-time.ts';
import { useOnlyAccount } from '../data/chosen-account.ts';
import { lookAtDeliveries } from '../data/needs.ts';
import { at } from '../data/paths.ts';
import { usePages } from '../data/queries.ts';
import { ListTools } from '../pieces/list-tools.tsx';
import { RecordList } from '../pieces/record-list.tsx';
import { useFilter } from '../pieces/use-filter.ts';
import { DELIVERY_COLUMNS, toneOfDelivery } from './delivery-columns.tsx';
import type { Delivery } from './sent-records.ts';

const OUTCOMES = [
  ['all', 'All'],
  ['delivered', 'Delivered'],
  ['failed', 'Failed'],
] as const;

const NONE = {
  icon: Truck,
  title: 'Nothing has been delivered yet',
  children: <p>Make an endpoint, or have events sent to the inbox; then send a sample.</p>,
};

/** What was sent, and how it was taken; each opens as the trail of its order. */
export function DeliveriesTab() {
  const [, navigate] = useLocation();
  const [q] = useFilter('q');
  const [outcome] = useFilter('outcome', 'all');
  const account_id = useOnlyAccount();
  useEffect(() => lookAtDeliveries(new Date(browserNow()).toISOString()), []);
  const found = usePages<Delivery>('/deliveries', { params: { account_id, q } });
  const rows = outcome === 'all' ? found.rows : found.rows.filter(({ status }) => status === outcome);
  return (
    <>
      <ListTools label="Search deliveries" choices={{ name: 'outcome', label: 'Outcome', options: OUTCOMES }} />
      <RecordList
        label="Deliveries"
        found={{ ...found, rows }}
        columns={DELIVERY_COLUMNS}
        onOpen={(id) => navigate(at.trail(id))}
        toneOf={toneOfDelivery}
        none={NONE}
        isFiltered={q !== '' || outcome !== 'all'}
      />
    </>
  );
}
