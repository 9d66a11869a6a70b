import { ListChecks } from 'lucide-react';
import { useOnlyAccount } from '../data/chosen-account.ts';
import { usePages } from '../data/queries.ts';
import type { Column } from '../pieces/column.ts';
import { Credits } from '../pieces/credits.tsx';
import { shortId } from '../pieces/id-chip.tsx';
import { ListTools } from '../pieces/list-tools.tsx';
import { RecordList } from '../pieces/record-list.tsx';
import { StatusBadge, type Tone } from '../pieces/status-badge.tsx';
import { agoColumn, softColumn } from '../pieces/time-column.tsx';
import { useFilter } from '../pieces/use-filter.ts';
import { useOpened } from '../pieces/use-opened.ts';
import { type Run, whereOf } from './flow-records.ts';

const STATUSES = [
  ['all', 'All'],
  ['running', 'Running'],
  ['waiting', 'Waiting'],
  ['done', 'Done'],
  ['failed', 'Failed'],
] as const;

const COLUMNS: readonly Column<Run>[] = [
  { title: 'Status', width: '72px', cell: ({ status }) => <StatusBadge status={status} />, line: 1 },
  { title: 'Flow', width: 'minmax(120px, 1fr)', cell: ({ flow }) => flow.name, line: 1, grow: true },
  softColumn('Where', 'minmax(80px, 2fr)', whereOf, { line: 2, grow: true }),
  softColumn('Begun by', '80px', ({ source }) => (source === 'webhook' ? 'its hook' : 'hand'), { wide: true }),
  softColumn('Run', '128px', ({ id }) => <code>{shortId(id)}</code>, { wide: true }),
  {
    title: 'Credits',
    width: '64px',
    align: 'end',
    cell: ({ credits }) => <Credits amount={credits} />,
    line: 1,
  },
  agoColumn('Started', ({ startedAt }) => startedAt, { align: 'end', line: 2 }),
];

const NONE = {
  icon: ListChecks,
  title: 'No flow has run yet',
  children: <p>Open a flow and start a run, or call its hook.</p>,
};

/** Runs of every flow, newest first. */
export function RunsTab() {
  const { id, open } = useOpened('flows');
  const [q] = useFilter('q');
  const [status] = useFilter('status', 'all');
  const params = { status: status === 'all' ? undefined : status, q, account_id: useOnlyAccount() };
  const found = usePages<Run>('/runs', { params });
  return (
    <>
      <ListTools label="Search runs" choices={{ name: 'status', label: 'Status', options: STATUSES }} />
      <RecordList
        label="Runs"
        {...{ found, columns: COLUMNS, opened: id, onOpen: open, toneOf: toneOfRun, none: NONE }}
        isFiltered={q !== '' || status !== 'all'}
      />
    </>
  );
}

function toneOfRun({ status }: Run): Tone | undefined {
  if (status === 'failed') return 'bad';
  return status === 'waiting' ? 'wait' : undefined;
}
