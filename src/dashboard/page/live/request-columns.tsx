import { RotateCcw, TriangleAlert } from 'lucide-react';
import type { RequestLine } from '../data/records.ts';
import type { Column } from '../pieces/column.ts';
import { Credits, formatNumber } from '../pieces/credits.tsx';
import { shortId } from '../pieces/id-chip.tsx';
import { StatusBadge, type Tone } from '../pieces/status-badge.tsx';
import { TIME_COLUMN } from '../pieces/time-column.tsx';
import { hasFailed, isOdd } from './filter-requests.ts';

export const REQUEST_COLUMNS: readonly Column<RequestLine>[] = [
  TIME_COLUMN,
  {
    title: 'Status',
    width: '56px',
    cell: ({ status }) => <StatusBadge status={status} />,
    line: 1,
  },
  { title: 'Request', width: 'minmax(184px, 3fr)', cell: requestCell, line: 1, grow: true },
  { title: 'Remarks', width: 'minmax(64px, 2fr)', cell: remarksCell, line: 2, grow: true },
  {
    title: 'Key',
    width: '120px',
    wide: true,
    cell: ({ key_id }) =>
      key_id && (
        <code className="soft" title={key_id}>
          {shortId(key_id)}
        </code>
      ),
  },
  {
    title: 'Credits',
    width: '64px',
    align: 'end',
    cell: ({ credits }) => (credits ? <Credits amount={credits} /> : <span className="soft">–</span>),
    line: 1,
  },
  {
    title: 'Duration',
    width: '72px',
    align: 'end',
    cell: ({ duration_ms }) => <span className="soft">{durationText(duration_ms)}</span>,
    line: 2,
  },
];

export function durationText(milliseconds: number): string {
  if (milliseconds < 1000) return `${formatNumber(Math.round(milliseconds))} ms`;
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

export function toneOfRequest(row: RequestLine): Tone | undefined {
  if (hasFailed(row)) return 'bad';
  return isOdd(row) ? 'wait' : undefined;
}

function requestCell({ method, path }: RequestLine) {
  return (
    <span title={`${method} ${path}`}>
      <span className="request-method">{method}</span>
      {path}
    </span>
  );
}

function remarksCell({ error, warnings, dropped, fault, retry_count }: RequestLine) {
  return (
    <span className="remarks">
      {error && <code className="remark-error">{error}</code>}
      {retry_count > 0 && (
        <span className="remark-odd">
          <RotateCcw aria-hidden /> retry {retry_count}
        </span>
      )}
      {fault && <span className="remark-odd">fault {shortId(fault)}</span>}
      {dropped && (
        <span className="remark-odd" title={`Dropped: ${dropped}`}>
          dropped {dropped}
        </span>
      )}
      {warnings && (
        <span className="remark-odd" title={`Ignored: ${warnings}`}>
          <TriangleAlert aria-hidden /> ignored {warnings}
        </span>
      )}
    </span>
  );
}
