import type { Column } from '../pieces/column.ts';
import { formatNumber } from '../pieces/credits.tsx';
import { Badge, type Tone } from '../pieces/status-badge.tsx';
import { softColumn, TIME_COLUMN } from '../pieces/time-column.tsx';
import type { Message } from './sent-records.ts';

/** Whether a message is what an endpoint of this inbox was sent. */
export function Verdict({ signature: { verified } }: Message) {
  if (verified === null) return <Badge tone="plain">unsigned</Badge>;
  return <Badge tone={verified ? 'good' : 'bad'}>{verified ? 'verified' : 'not genuine'}</Badge>;
}

export const MESSAGE_COLUMNS: readonly Column<Message>[] = [
  TIME_COLUMN,
  { title: 'Signature', width: '96px', cell: (message) => <Verdict {...message} />, line: 1 },
  { title: 'Message', width: 'minmax(200px, 1fr)', cell: subjectOf, line: 1, grow: true },
  softColumn('Why', 'minmax(120px, 1fr)', ({ signature: { reason } }) => reason, { line: 2, grow: true }),
  softColumn('Size', '72px', ({ bytes }) => `${formatNumber(bytes)} B`, { align: 'end', line: 2 }),
];

export function toneOfMessage({ signature: { verified } }: Message): Tone | undefined {
  return verified === false ? 'bad' : undefined;
}

/** The type of event, or how the request began. */
export function subjectOf({ method, path, body }: Message): string {
  const type = /"type":"([a-z.]{1,60})"/.exec(body?.slice(0, 300) ?? '')?.[1];
  return type ?? `${method} ${path}`;
}
