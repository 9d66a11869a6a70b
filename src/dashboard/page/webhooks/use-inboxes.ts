import { useList } from '../data/queries.ts';
import { useFilter } from '../pieces/use-filter.ts';
import { type Endpoint, type HeldInbox, inboxOf } from './sent-records.ts';

const FIRST = 'mine';

/** Which inboxes there are, by messages and endpoints, and the one that is chosen by the address. */
export function useInboxes() {
  const [chosen, choose] = useFilter('inbox');
  const { data: held = [] } = useList<HeldInbox>('/inbox');
  const { data: endpoints = [] } = useList<Endpoint>('/endpoints');
  const led = endpoints.flatMap(({ url }) => inboxOf(url) ?? []);
  const known = [...held.map(({ name }) => name), ...led];
  const name = chosen || (known[0] ?? FIRST);
  return { name, choose, names: [...new Set([name, ...known, FIRST])].sort() };
}
