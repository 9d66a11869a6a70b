import { useEffect, useState } from 'react';
import { callControl, withParams } from '../data/call-api.ts';
import { useAct, useList } from '../data/queries.ts';
import type { LedgerEntry } from '../data/records.ts';
import { sayError } from '../pieces/toast.tsx';

const PAGE = 500;

/**
 * The ledger of an account, newest first, as far as it was looked at. Nothing in it ever changes: what is new is put
 * before what is here, however far down somebody has read.
 */
export function useLedger(accountId: string) {
  const path = `/accounts/${accountId}/usage`;
  const head = useList<LedgerEntry>(path, { params: { limit: PAGE } });
  const [rows, setRows] = useState<readonly LedgerEntry[]>([]);
  const [hasMore, setHasMore] = useState(false);
  const { data, isPlaceholderData, error, isPending } = head;
  useEffect(() => {
    if (!data || isPlaceholderData) return;
    setRows((before) => joined(before, data));
    if (data.length < PAGE) setHasMore(false);
    else setHasMore((before) => before || rows.length <= PAGE);
  }, [data, isPlaceholderData, rows.length]);
  const older = useAct(
    async (after: string | undefined) => {
      const page = withParams(path, { limit: PAGE, after });
      return { after, page: (await callControl<{ data: LedgerEntry[] }>('GET', page)).data };
    },
    ({ after, page }) => {
      setHasMore(page.length === PAGE);
      setRows((before) => (before.at(-1)?.id === after ? [...before, ...page] : before));
    },
  );
  const more = () => older.mutate(rows.at(-1)?.id, { onError: sayError });
  return { rows, error, isPending, hasMore, more: older.isPending ? undefined : more };
}

/** After a reset or a restore the page may be of another ledger: then it is all there is. */
function joined(before: readonly LedgerEntry[], page: readonly LedgerEntry[]): readonly LedgerEntry[] {
  const [newest] = before;
  const seen = page.findIndex((entry) => newest && isSame(entry, newest));
  if (seen === -1) return page;
  return seen === 0 ? before : [...page.slice(0, seen), ...before];
}

function isSame(one: LedgerEntry, other: LedgerEntry): boolean {
  return one.id === other.id && one.created === other.created && one.balance === other.balance;
}
