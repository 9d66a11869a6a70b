import type { OrderLine, SearchAnswer } from './order-views.ts';
import { usePages, useRecord } from './queries.ts';
import { recordSource } from './record-source.ts';

/** How often a search is asked anew while requests come in, in milliseconds. */
const AGAIN = 1500;
const PAGE = 100;

/** The orders that a search finds; nothing is asked for without one. */
export function useFoundOrders(q: string, accountId: string | undefined) {
  const isSearch = q !== '' || accountId !== undefined;
  const params = { q, account_id: accountId, limit: PAGE };
  const found = usePages<OrderLine>('/orders', {
    params,
    enabled: isSearch,
    again: isSearch && !recordSource.value && AGAIN,
  });
  const isNone = isSearch && !found.isPending && found.rows.length === 0 && !found.error;
  const { data: told } = useRecord<SearchAnswer>('/search', {
    params: { q, account_id: accountId, limit: 1 },
    enabled: isNone,
  });
  return { ...found, isSearch, told: isNone ? told : undefined };
}
