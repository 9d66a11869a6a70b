import { useState } from 'react';
import { callControl, withParams } from '../data/call-api.ts';
import { useList } from '../data/queries.ts';
import { sayError } from '../pieces/toast.tsx';
import type { LibraryEntry } from './gallery-records.ts';

/** How many entries a page has. */
const PAGE = 100;

export type EntryFilter = Record<'account_id' | 'kind' | 'model' | 'text', string | undefined>;

interface Kept {
  filter: string;
  /** The newest, as they were last answered. */
  head: readonly LibraryEntry[];
  rows: readonly LibraryEntry[];
  hasOlder: boolean;
}

const NONE: Kept = { filter: '', head: [], rows: [], hasOlder: false };

/**
 * The entries that fit, newest first. The first page is asked for anew with every change; older ones are fetched as one
 * comes to them, and stay as they were read.
 */
export function useEntries(filter: EntryFilter) {
  const params = { ...filter, limit: PAGE };
  const { data, error, isPending, isPlaceholderData } = useList<LibraryEntry>('/library', {
    params,
  });
  const [kept, setKept] = useState(NONE);
  const [isReading, setReading] = useState(false);
  const name = JSON.stringify(filter);
  const isNew = data !== undefined && !isPlaceholderData;
  if (isNew && (kept.head !== data || kept.filter !== name)) {
    setKept(joined(kept.filter === name ? kept : NONE, data, name));
  }
  const more = async () => {
    setReading(true);
    try {
      const page = await readAfter(params, kept.rows.at(-1)?.id);
      setKept((before) => (before.rows === kept.rows ? extended(before, page) : before));
    } finally {
      setReading(false);
    }
  };
  const canRead = kept.hasOlder && !isReading && !isPlaceholderData;
  return {
    rows: kept.rows,
    error,
    isPending,
    count: async (q: string) => (await readAfter({ ...params, text: q }, undefined)).length,
    more: canRead ? () => void more().catch(sayError) : undefined,
  };
}

async function readAfter(params: object, after: string | undefined): Promise<LibraryEntry[]> {
  const path = withParams('/library', { ...params, after });
  return (await callControl<{ data: LibraryEntry[] }>('GET', path)).data;
}

/** A new first page before the older ones, if they still meet. */
function joined({ rows }: Kept, head: readonly LibraryEntry[], filter: string): Kept {
  const last = head.at(-1)?.id;
  const meets = rows.findIndex(({ id }) => id === last);
  const older = meets === -1 ? [] : rows.slice(meets + 1);
  const hasOlder = older.length > 0 || head.length === PAGE;
  return { filter, head, rows: [...head, ...older], hasOlder };
}

function extended(kept: Kept, page: readonly LibraryEntry[]): Kept {
  return { ...kept, rows: [...kept.rows, ...page], hasOlder: page.length === PAGE };
}
