import { Activity, SearchX } from 'lucide-react';
import { useCallback, useMemo, useRef } from 'react';
import { useLocation } from 'wouter';
import { outputPage, recordSource } from '../data/call-api.ts';
import { firstCall } from '../data/code-samples.ts';
import { listedOrders, orderStore, type SearchAnswer } from '../data/order-store.ts';
import { useStore } from '../data/page-store.ts';
import { at } from '../data/paths.ts';
import { useMedia } from '../pieces/browser-hooks.ts';
import { DataList } from '../pieces/data-list.tsx';
import { Code } from '../pieces/ids.tsx';
import { EmptyState } from '../pieces/page-parts.tsx';
import { NearestSearches } from '../pieces/search-box.tsx';
import { wordsOf } from '../pieces/search-terms.tsx';
import { formatNumber } from '../pieces/values.tsx';
import { orderColumns, phoneOrder } from './order-columns.tsx';
import { isNote, keyOfOrder, type OrderRow } from './order-row.ts';

interface OrderListProps {
  rows: readonly OrderRow[];
  q: string;
  /** Of a search that found nothing. */
  told: SearchAnswer | undefined;
  onSearch: (q: string) => void;
  isLoaded: boolean;
  foot: React.ReactNode;
}

/** Orders, newest first; each opens as its trail. */
export function OrderList({ rows, q, told, onSearch, isLoaded, foot }: OrderListProps) {
  const [, navigate] = useLocation();
  const isNarrow = useMedia('(max-width: 1240px)');
  const words = useMemo(() => wordsOf(q), [q]);
  const columns = useMemo(() => orderColumns(words, isNarrow), [words, isNarrow]);
  const tall = useMemo(() => ({ height: 72, onPhone: phoneOrder(words) }), [words]);
  const listed = useRef(rows);
  listed.current = rows;
  const open = useCallback(
    (id: string) => {
      if (isNote(id)) return;
      listedOrders.set(listed.current.flatMap((row) => (isNote(row.id) ? [] : [row.id])));
      navigate(at.trail(id));
    },
    [navigate],
  );
  const show = useCallback((keys: readonly string[]) => orderStore.show(keys.filter((key) => !isNote(key))), []);
  const none = told ? <NothingFound told={told} onSearch={onSearch} /> : isLoaded && q === '' ? <NoRequests /> : null;
  return (
    <DataList
      label="Requests"
      {...{ rows, columns, tall, foot, rowHeight: 44 }}
      keyOf={keyOfOrder}
      onOpen={open}
      onDrawn={show}
      toneOf={({ tone }) => tone}
      empty={none}
    />
  );
}

function NothingFound({ told, onSearch }: { told: SearchAnswer; onSearch: (q: string) => void }) {
  const { request, job, event, delivery, run } = told.searched;
  const counts = [
    [request, 'request', 'requests'],
    [job, 'job', 'jobs'],
    [event, 'event', 'events'],
    [delivery, 'delivery', 'deliveries'],
    [run, 'run', 'runs'],
  ] as const;
  const searched = counts.map(([n, one, many]) => `${formatNumber(n)} ${n === 1 ? one : many}`);
  return (
    <EmptyState icon={SearchX} title="Nothing on record fits">
      <p>Searched {searched.join(', ')}.</p>
      <NearestSearches offers={told.nearest} onSearch={onSearch} />
    </EmptyState>
  );
}

function NoRequests() {
  const Printed = useStore(outputPage);
  const trace = useStore(recordSource)?.trace;
  if (trace?.tables.requests.length === 0) {
    return Printed && trace.output.length > 0 ? (
      <Printed />
    ) : (
      <EmptyState icon={Activity} title="This run made no request" />
    );
  }
  return (
    <EmptyState icon={Activity} title="No request has come in yet">
      <p>Send one, and it appears here by itself:</p>
      <Code text={firstCall()} label="The first call" />
    </EmptyState>
  );
}
