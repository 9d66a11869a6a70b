import { ReceiptText, SearchX } from 'lucide-react';
import { useMemo } from 'react';
import type { LedgerEntry } from '../data/records.ts';
import { DataList } from '../pieces/data-list.tsx';
import { EmptyState } from '../pieces/empty-state.tsx';
import { ErrorNotice } from '../pieces/error-notice.tsx';
import { MoreRows } from '../pieces/more-rows.tsx';
import { LEDGER_COLUMNS, type LedgerRow } from './ledger-columns.tsx';
import { useLedger } from './use-ledger.ts';

interface LedgerListProps {
  accountId: string;
  /** `all`, `charge`, `refund`, or `in` for money that came in. */
  type: string;
  opened: string | undefined;
  onOpen: (id: string) => void;
}

/** The ledger, as far back as somebody scrolls. */
export function LedgerList({ accountId, type, opened, onOpen }: LedgerListProps) {
  const { rows, error, isPending, hasMore, more } = useLedger(accountId);
  const shown = useMemo(() => withRefunds(rows, type), [rows, type]);
  if (error && rows.length === 0) return <ErrorNotice error={error} />;
  const older = hasMore && (
    <MoreRows more={more} byItself={type === 'all'}>
      Show older entries
    </MoreRows>
  );
  return (
    <DataList
      label="Ledger"
      rows={shown}
      columns={LEDGER_COLUMNS}
      keyOf={keyOfEntry}
      opened={opened}
      onOpen={onOpen}
      empty={isPending ? null : <NoEntries isFiltered={rows.length > 0}>{older}</NoEntries>}
      foot={older}
    />
  );
}

const keyOfEntry = ({ id }: LedgerEntry) => id;

/** A refund is newer than its charge: where the charge is here, so is the refund. */
function withRefunds(rows: readonly LedgerEntry[], type: string): readonly LedgerRow[] {
  const refunds = new Map(rows.map(({ id, refund_of }) => [refund_of, id]));
  return rows.filter((row) => isOf(row, type)).map((row) => ({ ...row, refund: refunds.get(row.id) }));
}

function isOf({ type }: LedgerEntry, wanted: string): boolean {
  if (wanted === 'in') return type === 'grant' || type === 'top_up';
  return wanted === 'all' || type === wanted;
}

function NoEntries({ isFiltered, children }: { isFiltered: boolean; children: React.ReactNode }) {
  if (!isFiltered) {
    return (
      <EmptyState icon={ReceiptText} title="This account has no entries yet">
        <p>Top it up, and its ledger begins.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={SearchX} title="No such entry so far">
      <p>Show another kind of entry, or all.</p>
      {children}
    </EmptyState>
  );
}
