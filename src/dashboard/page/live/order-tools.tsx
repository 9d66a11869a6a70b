import { Check, X } from 'lucide-react';
import { callControl } from '../data/call-api.ts';
import type { OrderLine } from '../data/order-store.ts';
import { useAct } from '../data/queries.ts';
import { Act } from '../pieces/act.tsx';
import { say, sayError } from '../pieces/toast.tsx';

/** What one click gives who has too little. */
const TOP_UP = 1000;

/** Out of what stands in the row: a top-up for a 402, another try for a refused delivery. */
export function WayOut({ line }: { line: OrderLine }) {
  const { redeliver } = line.todo;
  const { account_id: account } = line.whose;
  const topUp = useAct(
    () => callControl('POST', `/accounts/${account}/credits`, { amount: TOP_UP }),
    () => say('Topped up by 1,000 credits', undefined, 'good'),
  );
  const again = useAct(
    () => callControl('POST', `/deliveries/${redeliver}/redeliver`),
    () => say('Sent once more', undefined, 'good'),
  );
  const isPoor = line.error?.code === 'insufficient_credits' && account !== null;
  if (!isPoor && redeliver === null) return null;
  const act = isPoor ? topUp : again;
  return (
    <span className="way-out">
      {' · '}
      <button type="button" className="named bare" onClick={() => act.mutate(undefined, { onError: sayError })}>
        {isPoor ? 'top up 1,000' : 'redeliver'}
      </button>
    </span>
  );
}

/** Approves or rejects the post at which a run waits. */
export function ClickButtons({ id }: { id: string }) {
  const choose = (choice: string) => callControl<void>('POST', `/runs/${id}/click`, { choice });
  return (
    <span className="click-buttons">
      <Act text="Approve" icon={Check} look="primary" act={() => choose('approve')} />
      <Act text="Reject" icon={X} act={() => choose('reject')} />
    </span>
  );
}
