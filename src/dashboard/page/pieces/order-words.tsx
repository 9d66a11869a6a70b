import { useOrderLine } from '../data/order-store.ts';

export default function OrderWords({ id, what }: { id: string; what: string }) {
  const words = useOrderLine(id)?.asked.words;
  if (!words) return what;
  return (
    <span title={`${words} · ${what}`}>
      <span dir="auto">{words}</span> <span className="soft">{what}</span>
    </span>
  );
}
