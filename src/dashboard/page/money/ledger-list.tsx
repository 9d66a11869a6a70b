import { ReceiptText } from 'lucide-react';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { at } from '../data/paths.ts';
import { usePages } from '../data/queries.ts';
import type { LedgerEntry } from '../data/records.ts';
import { ListTools } from '../pieces/list-tools.tsx';
import { RecordList } from '../pieces/record-list.tsx';
import { useFilter } from '../pieces/use-filter.ts';
import { LEDGER_COLUMNS, type LedgerRow } from './ledger-columns.tsx';

const TYPES = [
  ['all', 'All entries'],
  ['charge', 'Charges'],
  ['refund', 'Refunds'],
  ['in', 'Money in'],
] as const;

const NONE = {
  icon: ReceiptText,
  title: 'This account has no entries yet',
  children: <p>Top it up, and its ledger begins.</p>,
};

/** The ledger, as far back as somebody scrolls; what was charged opens as its order. */
export function LedgerList({ accountId }: { accountId: string }) {
  const [, navigate] = useLocation();
  const [q] = useFilter('q');
  const [type] = useFilter('type', 'all');
  const found = usePages<LedgerEntry>(`/accounts/${accountId}/usage`, { params: { limit: 500, q } });
  const rows = useMemo(() => withRefunds(found.rows, type), [found.rows, type]);
  const open = (id: string) => {
    const entry = rows.find((row) => row.id === id);
    if (entry?.type === 'charge' || entry?.type === 'refund') navigate(at.trail(id));
  };
  return (
    <>
      <ListTools label="Search the ledger" choices={{ name: 'type', label: 'Entries', options: TYPES }} />
      <RecordList
        label="Ledger"
        found={{ ...found, rows }}
        columns={LEDGER_COLUMNS}
        onOpen={open}
        none={NONE}
        isFiltered={q !== '' || type !== 'all'}
        byItself={type === 'all'}
      />
    </>
  );
}

/** A refund is newer than its charge: where the charge is here, so is the refund. */
function withRefunds(rows: readonly LedgerEntry[], type: string): readonly LedgerRow[] {
  const refunds = new Map(rows.map(({ id, refund_of }) => [refund_of, id]));
  return rows.filter((row) => isOf(row, type)).map((row) => ({ ...row, refund: refunds.get(row.id) }));
}

function isOf({ type }: LedgerEntry, wanted: string): boolean {
  if (wanted === 'in') return type === 'grant' || type === 'top_up';
  return wanted === 'all' || type === wanted;
}
