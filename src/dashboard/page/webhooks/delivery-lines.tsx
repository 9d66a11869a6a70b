import { Link } from 'wouter';
import { at } from '../data/paths.ts';
import { RelativeTime } from '../pieces/relative-time.tsx';
import { StatusBadge } from '../pieces/status-badge.tsx';
import { DeliveryState } from './delivery-columns.tsx';
import type { Delivery } from './sent-records.ts';

interface DeliveryLinesProps {
  deliveries: readonly Delivery[];
  label: string;
  /** Said in place of none. */
  empty: string;
  /** Shows the type of event in place of the URL. */
  byType?: boolean;
}

/** A few deliveries in a drawer, each a link. */
export function DeliveryLines({ deliveries, label, empty, byType = false }: DeliveryLinesProps) {
  if (deliveries.length === 0) return <p className="soft">{empty}</p>;
  return (
    <ul className="lines" aria-label={label}>
      {deliveries.map(({ id, status, url, type, response_status: answer, created }) => (
        <li key={id}>
          <Link className="line" href={at.webhooks(id)}>
            <DeliveryState status={status} />
            <span className="hook-line-main">{byType ? type : url}</span>
            {answer !== null && <StatusBadge status={answer} />}
            <span className="soft">
              <RelativeTime at={created} />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
