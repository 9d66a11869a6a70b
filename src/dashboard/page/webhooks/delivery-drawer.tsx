import { RotateCcw } from 'lucide-react';
import { useLocation } from 'wouter';
import { callControl } from '../data/call-api.ts';
import { at } from '../data/paths.ts';
import { useAct, useRecord } from '../data/queries.ts';
import { Button } from '../pieces/button.tsx';
import { Drawer } from '../pieces/drawer.tsx';
import { ErrorNotice, Notice } from '../pieces/error-notice.tsx';
import { IdChip } from '../pieces/id-chip.tsx';
import { JsonView } from '../pieces/json-view.tsx';
import { OfService } from '../pieces/of-service.tsx';
import { Facts, Section } from '../pieces/page-head.tsx';
import { RelativeTime } from '../pieces/relative-time.tsx';
import { StatusBadge } from '../pieces/status-badge.tsx';
import { say, sayError } from '../pieces/toast.tsx';
import { DeliveryState, tookText } from './delivery-columns.tsx';
import type { WholeDelivery } from './sent-records.ts';
import { SignatureExplained } from './signature-explained.tsx';

/** What a fault rule did to a delivery. */
const FAULTS: Record<string, string> = {
  late: 'A fault rule held it back for two seconds.',
  duplicate: 'A fault rule sent the event twice: this is the one too many.',
  reorder: 'A fault rule let a later one overtake it.',
  bad_signature: 'A fault rule signed it with a secret that is not the endpoint’s: refuse it.',
  old_timestamp: 'A fault rule dated it ten minutes back: refuse it.',
  drop: 'A fault rule kept it from being sent.',
  before_delivery: 'A fault rule ended the emulator before it was sent.',
};

/** One delivery: what was sent and signed, and what came back. */
export function DeliveryDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error } = useRecord<WholeDelivery>(`/deliveries/${id}`);
  const delivery = data?.id === id ? data : undefined;
  const title = delivery ? (
    <>
      <DeliveryState status={delivery.status} /> {delivery.type}
    </>
  ) : (
    id
  );
  return (
    <Drawer label="Delivery" title={title} onClose={onClose}>
      <ErrorNotice error={delivery ? undefined : error} />
      {delivery && <DeliveryContents delivery={delivery} />}
    </Drawer>
  );
}

function DeliveryContents({ delivery }: { delivery: WholeDelivery }) {
  const { id, fault, error, response_body: answer, envelope, signature } = delivery;
  return (
    <>
      <div className="hook-buttons">
        <RedeliverButton id={id} />
      </div>
      {error && <Notice tone="bad">{error}</Notice>}
      {fault && <Notice tone="wait">{FAULTS[fault] ?? fault}</Notice>}
      <Section title="Facts">
        <Facts facts={factsOf(delivery)} />
      </Section>
      <Section title="Request">
        <dl className="hook-headers" aria-label="Headers">
          {Object.entries(headersOf(delivery)).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <JsonView value={envelope} label="Request body" />
      </Section>
      <Section title="Answer">
        {answer ? (
          <JsonView value={answer} label="Answer body" />
        ) : (
          <p className="soft">{answer === '' ? 'Without a body.' : 'None came.'}</p>
        )}
      </Section>
      {signature && <SignatureExplained delivery={delivery} signature={signature} />}
    </>
  );
}

function factsOf(delivery: WholeDelivery) {
  const { id, event_id, endpoint_id, account_id, url, created, attempted_at } = delivery;
  const { duration_ms, response_status, redelivery_of } = delivery;
  return {
    Delivery: <IdChip id={id} />,
    Event: <IdChip id={event_id} />,
    Endpoint: <IdChip id={endpoint_id} />,
    Account: <IdChip id={account_id} />,
    To: <code>{url}</code>,
    Made: <RelativeTime at={created} />,
    Sent: attempted_at && <span title="The machine’s time">{attempted_at}</span>,
    Duration: duration_ms === null ? null : tookText(duration_ms),
    Answered: response_status === null ? null : <StatusBadge status={response_status} />,
    'Again of': redelivery_of && <IdChip id={redelivery_of} />,
  };
}

/** What went with the body, but for what every HTTP client adds. */
function headersOf({ id, event_id, signature }: WholeDelivery): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'svc-emulator/1.0',
    ...(signature ? { 'svc-signature': signature } : {}),
    'svc-emulator-event': event_id,
    'svc-emulator-delivery': id,
  };
}

function RedeliverButton({ id }: { id: string }) {
  const [, navigate] = useLocation();
  const again = useAct(
    (of: string) => callControl<{ id: string }>('POST', `/deliveries/${of}/redeliver`),
    (made) => {
      say('Delivered again', 'The same id and bytes, under a new signature.', 'good');
      navigate(at.webhooks(made.id));
    },
  );
  return (
    <OfService>
      <Button
        icon={<RotateCcw aria-hidden />}
        disabled={again.isPending}
        onClick={() => again.mutate(id, { onError: sayError })}
      >
        Redeliver
      </Button>
    </OfService>
  );
}
