import { ReceiptText, Undo2, Waypoints } from 'lucide-react';
import { useMemo } from 'react';
import { Link, useLocation } from 'wouter';
import { at } from '../data/paths.ts';
import { useList } from '../data/queries.ts';
import type { LedgerEntry } from '../data/records.ts';
import { useFilter } from '../pieces/browser-hooks.ts';
import { type Column, column } from '../pieces/columns.tsx';
import { shortId } from '../pieces/ids.tsx';
import { RecordList, useRecords } from '../pieces/record-list.tsx';
import { Credits, exactTime } from '../pieces/values.tsx';

const TYPES = Object.entries({ all: 'All', charge: 'Charges', refund: 'Refunds', top_up: 'Top-ups', grant: 'Grants' });

const NONE = {
  ...{ icon: ReceiptText, title: 'No entries yet', says: 'Top up the account to start its ledger.' },
};

/** The ledger, loaded further back while scrolling; a charge opens as its order. */
export function LedgerList({ accountId }: { accountId: string }) {
  const [, navigate] = useLocation();
  const [type] = useFilter('type', 'all');
  const params = { limit: 500, account_id: undefined, type: type === 'all' ? undefined : type };
  const found = useRecords<LedgerEntry>(`/accounts/${accountId}/usage`, { params });
  // A refund is newer than its charge; when only charges are listed, refunds are loaded separately.
  const { data: refunds = NO_REFUNDS } = useList<LedgerEntry>(`/accounts/${accountId}/usage`, {
    params: { type: 'refund' },
    enabled: type === 'charge',
  });
  const rows = useMemo(() => withRefunds(found.rows, refunds), [found.rows, refunds]);
  const open = (id: string) => {
    const entry = rows.find((row) => row.id === id);
    if (entry?.type === 'charge' || entry?.type === 'refund') navigate(at.trail(id));
  };
  return (
    <RecordList
      {...{ label: 'Ledger', search: 'Search the ledger', columns: LEDGER_COLUMNS, none: NONE, onOpen: open }}
      choices={{ name: 'type', label: 'Entries', options: TYPES }}
      {...{ found: { ...found, rows }, autoLoad: true }}
    />
  );
}

const NO_REFUNDS: readonly LedgerEntry[] = [];

function withRefunds(rows: readonly LedgerEntry[], others: readonly LedgerEntry[]): readonly LedgerRow[] {
  const refunds = new Map([...others, ...rows].map(({ id, refund_of }) => [refund_of, id]));
  return rows.map((row) => ({ ...row, refund: refunds.get(row.id) }));
}

const KINDS: Record<LedgerEntry['type'], string> = {
  grant: 'Grant',
  charge: 'Charge',
  refund: 'Refund',
  top_up: 'Top-up',
};

/** A row of the ledger; `refund` is the id of the refund of a charge. */
interface LedgerRow extends LedgerEntry {
  refund: string | undefined;
}

const LEDGER_COLUMNS: readonly Column<LedgerRow>[] = [
  column('Time', '184px', timeCell, { line: 2 }),
  column('Entry', '64px', ({ type }) => KINDS[type], { line: 1 }),
  column('For', 'minmax(160px, 3fr)', purpose, { line: 1, grow: true }),
  column('Linked to', 'minmax(120px, 2fr)', linked, { line: 2, grow: true, wide: true }),
  column('Amount', '80px', ({ amount }) => <Credits amount={amount} signed />, { align: 'end', line: 1 }),
  column('Balance', '96px', ({ balance }) => <Credits amount={balance} />, { align: 'end', line: 2 }),
];

function timeCell({ created }: LedgerEntry) {
  return <time dateTime={new Date(created * 1000).toISOString()}>{exactTime(created)}</time>;
}

function purpose({ operation, model }: LedgerEntry) {
  if (operation === null) return null;
  return (
    <span title={`${operation} ${model ?? ''}`}>
      {operation} <span className="soft">{model}</span>
    </span>
  );
}

/** A charge links to its refund, else to its order; a chat links to its request. */
function linked({ id, type, refund_of: charge, refund, job_id: job }: LedgerRow) {
  const back = charge ?? refund;
  if (!back && type !== 'charge') return null;
  const Icon = back ? Undo2 : Waypoints;
  const named = back ?? job;
  return (
    <Link className="named" href={at.trail(back ?? id)}>
      <Icon aria-hidden /> {charge ? 'refunds ' : refund ? 'refunded by ' : job ? '' : 'its request'}
      {named && <code>{shortId(named)}</code>}
    </Link>
  );
}
