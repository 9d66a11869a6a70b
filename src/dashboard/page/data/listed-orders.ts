import type { OrderLine } from './order-views.ts';
import { PageStore, useStore } from './page-store.ts';
import { useList } from './queries.ts';

/** The orders of the list that was looked at last, newest first: from one of them keys go to the next. */
export const listedOrders = new PageStore<readonly string[]>([]);

/** Those before and after an order: in the list from which it was opened, else among the newest. */
export function useNeighbours(id: string): { newer: string | undefined; older: string | undefined } {
  const listed = useStore(listedOrders);
  const isListed = listed.includes(id);
  const { data = [] } = useList<OrderLine>('/orders', { params: { limit: 100 }, enabled: !isListed });
  const ids = isListed ? listed : data.map((line) => line.id);
  const place = ids.indexOf(id);
  return { newer: place > 0 ? ids[place - 1] : undefined, older: place === -1 ? undefined : ids[place + 1] };
}
