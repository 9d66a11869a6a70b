import { useEffect } from 'react';
import { useStore } from '../data/browser.ts';
import { orderStore } from '../data/order-store.ts';

/** What an order asked for, in its own words, and `what` it was. */
export default function OrderWords({ id, what }: { id: string; what: string }) {
  const { words = '' } = useStore(orderStore).get(id)?.asked ?? {};
  useEffect(() => orderStore.ask(id), [id]);
  if (words === '') return what;
  return (
    <span title={`${words} · ${what}`}>
      <span dir="auto">{words}</span> <span className="soft">{what}</span>
    </span>
  );
}
