import { RotateCcw, ShieldAlert } from 'lucide-react';
import { durationText } from '../data/exact-time.ts';
import type { Column } from '../pieces/column.ts';
import { Badge, StatusBadge, type Tone } from '../pieces/status-badge.tsx';
import { softColumn, TIME_COLUMN } from '../pieces/time-column.tsx';
import type { Delivery } from './sent-records.ts';

/** How a delivery stands, in words. */
const STATES: Record<Delivery['status'], { text: string; tone: Tone }> = {
  due: { text: 'due', tone: 'wait' },
  attempted: { text: 'in flight', tone: 'wait' },
  delivered: { text: 'delivered', tone: 'good' },
  failed: { text: 'failed', tone: 'bad' },
};

export function DeliveryState({ status }: { status: Delivery['status'] }) {
  const { text, tone } = STATES[status];
  return <Badge tone={tone}>{text}</Badge>;
}

export const DELIVERY_COLUMNS: readonly Column<Delivery>[] = [
  TIME_COLUMN,
  { title: 'Status', width: '80px', cell: ({ status }) => <DeliveryState status={status} />, line: 1 },
  { title: 'Event', width: 'minmax(180px, 1fr)', cell: ({ type }) => type, line: 1, grow: true },
  softColumn('To', 'minmax(160px, 2fr)', ({ url }) => <code title={url}>{url}</code>, { line: 2, grow: true }),
  { title: 'Remarks', width: 'minmax(80px, 1fr)', cell: remarksOf, wide: true },
  {
    title: 'Answer',
    width: '56px',
    cell: ({ response_status: status, status: state }) =>
      status === null ? (
        <span className="soft">{state === 'failed' ? 'none' : '–'}</span>
      ) : (
        <StatusBadge status={status} />
      ),
    line: 1,
  },
  softColumn('Duration', '72px', ({ duration_ms: ms }) => (ms === null ? '–' : durationText(ms)), {
    align: 'end',
    line: 2,
  }),
];

export function toneOfDelivery({ status, fault }: Delivery): Tone | undefined {
  if (status === 'failed') return 'bad';
  return fault === null ? undefined : 'wait';
}

function remarksOf({ redelivery_of: first, fault, error }: Delivery) {
  return (
    <span className="row">
      {fault && (
        <span className="toned" data-tone="wait">
          <ShieldAlert aria-hidden /> {fault.replaceAll('_', ' ')}
        </span>
      )}
      {first && (
        <span className="soft">
          <RotateCcw aria-hidden /> again
        </span>
      )}
      {error && (
        <span className="toned cut" data-tone="bad" title={error}>
          {error}
        </span>
      )}
    </span>
  );
}
