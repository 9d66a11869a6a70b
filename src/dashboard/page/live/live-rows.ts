import { useMemo, useRef } from 'react';
import type { ActRecord } from '../../../control/record.ts';
import type { Held } from '../data/holds.ts';
import { type OrderLine, orderStore } from '../data/order-store.ts';
import { useStore } from '../data/page-store.ts';
import { useList } from '../data/queries.ts';
import type { RequestLine } from '../data/records.ts';
import { type FoldedRequest, foldRequests, type OpenRequest, openStore, requestStore } from '../data/request-store.ts';
import { type OrderRow, rowOfFolded, rowOfNote, rowOfOpen, rowOfRun } from './order-row.ts';

/** A request that was just answered is among this many of the newest. */
const NEWEST = 200;

/** All recorded requests, with polls folded into their orders. */
export function useFolded(): readonly OrderRow[] {
  const { rows } = useStore(requestStore);
  const lines = useStore(orderStore);
  const folded = useMemo(() => foldRequests(rows), [rows]);
  const { current: drawn } = useRef(new WeakMap<RequestLine, DrawnRow>());
  return useMemo(
    () => folded.map((each) => steadyRow(drawn, each, lines.get(each.request.id))),
    [folded, lines, drawn],
  );
}

/** Keeps the row object of an unchanged request, so that it is not rendered again. */
function steadyRow(drawn: WeakMap<RequestLine, DrawnRow>, each: FoldedRequest, line: OrderLine | undefined): OrderRow {
  const before = drawn.get(each.request);
  if (before && before.line === line && before.times === each.times && before.polls === each.polls) return before.row;
  const row = rowOfFolded(each, line);
  drawn.set(each.request, { ...each, line, row });
  return row;
}

interface DrawnRow extends FoldedRequest {
  line: OrderLine | undefined;
  row: OrderRow;
}

/** Runs that wait for approval are listed first. */
export function useWaiting(accountId: string | undefined, isAsked: boolean): OrderRow[] {
  const params = { status: 'waiting', limit: 20, account_id: accountId };
  const { data = [] } = useList<{ id: string }>('/runs', { params, enabled: isAsked });
  const lines = useStore(orderStore);
  return isAsked ? data.map(({ id }) => rowOfRun(id, lines.get(id))) : [];
}

/** So many notes are listed, the newest. */
const MOST_NOTES = 200;

/** Rows, newest first, with the notes among them that are about the account or about all. */
export function useNoted(rows: readonly OrderRow[], only: string | undefined): readonly OrderRow[] {
  const { data = NO_NOTES } = useList<ActRecord>('/record', { params: { kind: 'note', limit: MOST_NOTES } });
  return useMemo(() => {
    const notes = data.filter(({ account_id: whose }) => !only || whose === null || whose === only).map(rowOfNote);
    if (notes.length === 0) return rows;
    return [...rows, ...notes].sort((a, b) => b.began - a.began);
  }, [rows, data, only]);
}

const NO_NOTES: readonly ActRecord[] = [];

/** Open requests that no breakpoint holds. While the list is paused none is added, and one that ends stays as its row. */
export function useOpen(accountId: string | undefined, held: readonly Held[]): readonly OrderRow[] {
  const open = useStore(openStore);
  const { isPaused, rows } = useStore(requestStore);
  const shown = useRef<readonly OpenRequest[]>([]);
  const newest = new Set(rows.slice(0, open.length + NEWEST).map(({ id }) => id));
  for (const { request_id } of held) newest.add(request_id ?? '');
  const given = isPaused ? shown.current : open;
  shown.current = given.filter(({ id, account_id: whose }) => (!accountId || whose === accountId) && !newest.has(id));
  openStore.shown = shown.current.map(({ id }) => id);
  return shown.current.map(rowOfOpen);
}
