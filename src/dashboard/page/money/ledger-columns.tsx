import { Undo2, Waypoints } from 'lucide-react';
import { Link } from 'wouter';
import { at } from '../data/paths.ts';
import type { LedgerEntry } from '../data/records.ts';
import type { Column } from '../pieces/column.ts';
import { Credits } from '../pieces/credits.tsx';
import { shortId } from '../pieces/id-chip.tsx';
import { exactTime } from '../pieces/relative-time.tsx';

export const KINDS: Record<LedgerEntry['type'], string> = {
  grant: 'Grant',
  charge: 'Charge',
  refund: 'Refund',
  top_up: 'Top-up',
};

/** A row of the ledger; `refund` is the id of what gave a charge back. */
export interface LedgerRow extends LedgerEntry {
  refund: string | undefined;
}

export const LEDGER_COLUMNS: readonly Column<LedgerRow>[] = [
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
