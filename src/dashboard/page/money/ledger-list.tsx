import { ReceiptText, Undo2, Waypoints } from 'lucide-react';
import { useMemo } from 'react';
import { Link, useLocation } from 'wouter';
import { at } from '../data/paths.ts';
import { usePages } from '../data/queries.ts';
import type { LedgerEntry } from '../data/records.ts';
import type { Column } from '../pieces/columns.tsx';
import { shortId } from '../pieces/ids.tsx';
import { ListTools, RecordList } from '../pieces/record-list.tsx';
import { useFilter } from '../pieces/use-address.ts';
import { Credits, exactTime } from '../pieces/values.tsx';

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

const KINDS: Record<LedgerEntry['type'], string> = {
  grant: 'Grant',
  charge: 'Charge',
  refund: 'Refund',
  top_up: 'Top-up',
};

/** A row of the ledger; `refund` is the id of what gave a charge back. */
interface LedgerRow extends LedgerEntry {
  refund: string | undefined;
}

const LEDGER_COLUMNS: readonly Column<LedgerRow>[] = [
  { title: 'Time', width: '184px', cell: timeCell, line: 2 },
  { title: 'Entry', width: '64px', cell: ({ type }) => KINDS[type], line: 1 },
  { title: 'For', width: 'minmax(160px, 3fr)', cell: purpose, line: 1, grow: true },
  {
    ...{ title: 'Linked to', width: 'minmax(120px, 2fr)', cell: linked },
    ...{ line: 2, grow: true, wide: true },
  },
  {
    title: 'Amount',
    width: '80px',
    align: 'end',
    cell: ({ amount }) => <Credits amount={amount} signed />,
    line: 1,
  },
  {
    title: 'Balance',
    width: '96px',
    align: 'end',
    cell: ({ balance }) => <Credits amount={balance} />,
    line: 2,
  },
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

/** A charge leads to what gave it back, else to its order: of a chat, to its request. */
function linked({ id, type, refund_of: charge, refund, job_id: job }: LedgerRow) {
  if (charge) return <EntryLink id={charge} text="gives back" />;
  if (refund) return <EntryLink id={refund} text="given back by" />;
  if (type !== 'charge') return null;
  return (
    <Link className="named" href={at.trail(id)} onClick={(event) => event.stopPropagation()}>
      <Waypoints aria-hidden /> {job ? <code>{shortId(job)}</code> : 'its request'}
    </Link>
  );
}

function EntryLink({ id, text }: { id: string; text: string }) {
  return (
    <Link className="named" href={at.trail(id)} onClick={(event) => event.stopPropagation()}>
      <Undo2 aria-hidden /> {text} <code>{shortId(id)}</code>
    </Link>
  );
}
