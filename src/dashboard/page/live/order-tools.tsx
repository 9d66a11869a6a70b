import { Check, X } from 'lucide-react';
import { callControl } from '../data/call-api.ts';
import type { OrderLine } from '../data/order-views.ts';
import { useAct } from '../data/queries.ts';
import { Button } from '../pieces/button.tsx';
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
      <button type="button" className="text-button" onClick={() => act.mutate(undefined, { onError: sayError })}>
        {isPoor ? 'top up 1,000' : 'redeliver'}
      </button>
    </span>
  );
}

/** Approves or rejects the post at which a run waits. */
export function ClickButtons({ id }: { id: string }) {
  const click = useAct((choice: string) => callControl<void>('POST', `/runs/${id}/click`, { choice }));
  const choose = (choice: string) => click.mutate(choice, { onError: sayError });
  return (
    <span className="click-buttons">
      <Button look="primary" icon={<Check aria-hidden />} disabled={click.isPending} onClick={() => choose('approve')}>
        Approve
      </Button>
      <Button icon={<X aria-hidden />} disabled={click.isPending} onClick={() => choose('reject')}>
        Reject
      </Button>
    </span>
  );
}
