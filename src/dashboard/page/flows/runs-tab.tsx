import { ListChecks, SearchX } from 'lucide-react';
import { usePages } from '../data/queries.ts';
import { Button } from '../pieces/button.tsx';
import { Choices } from '../pieces/choices.tsx';
import type { Column } from '../pieces/column.ts';
import { Credits } from '../pieces/credits.tsx';
import { DataList } from '../pieces/data-list.tsx';
import { EmptyState } from '../pieces/empty-state.tsx';
import { ErrorNotice } from '../pieces/error-notice.tsx';
import { shortId } from '../pieces/id-chip.tsx';
import { RelativeTime } from '../pieces/relative-time.tsx';
import { StatusBadge, type Tone } from '../pieces/status-badge.tsx';
import { useFilter } from '../pieces/use-filter.ts';
import { useOpened } from '../pieces/use-opened.ts';
import { type Run, whereOf } from './flow-records.ts';

const keyOf = ({ id }: Run) => id;

const STATUSES = [
  ['all', 'All'],
  ['running', 'Running'],
  ['waiting', 'Waiting'],
  ['done', 'Done'],
  ['failed', 'Failed'],
] as const;

const COLUMNS: readonly Column<Run>[] = [
  {
    title: 'Status',
    width: '72px',
    cell: ({ status }) => <StatusBadge status={status} />,
    line: 1,
  },
  {
    title: 'Flow',
    width: 'minmax(120px, 1fr)',
    cell: ({ flow }) => flow.name,
    line: 1,
    grow: true,
  },
  {
    title: 'Where',
    width: 'minmax(80px, 2fr)',
    cell: (run) => <span className="soft">{whereOf(run)}</span>,
    line: 2,
    grow: true,
  },
  {
    title: 'Begun by',
    width: '80px',
    cell: ({ source }) => <span className="soft">{source === 'webhook' ? 'its hook' : 'hand'}</span>,
    wide: true,
  },
  {
    title: 'Run',
    width: '128px',
    cell: ({ id }) => <code className="soft">{shortId(id)}</code>,
    wide: true,
  },
  {
    title: 'Credits',
    width: '64px',
    align: 'end',
    cell: ({ credits }) => <Credits amount={credits} />,
    line: 1,
  },
  {
    title: 'Started',
    width: '88px',
    align: 'end',
    cell: ({ startedAt }) => (
      <span className="soft">
        <RelativeTime at={startedAt} />
      </span>
    ),
    line: 2,
  },
];

/** Runs of every flow, newest first. */
export function RunsTab() {
  const { id, open } = useOpened('flows');
  const [status, setStatus] = useFilter('status', 'all');
  const params = { status: status === 'all' ? undefined : status };
  const { rows, error, isPending, more } = usePages<Run>('/runs', { params });
  return (
    <>
      <div className="flow-tools">
        <Choices label="Status" value={status} options={STATUSES} onChange={setStatus} />
      </div>
      <ErrorNotice error={error} />
      <DataList
        label="Runs"
        rows={rows}
        columns={COLUMNS}
        keyOf={keyOf}
        opened={id}
        onOpen={open}
        toneOf={toneOfRun}
        empty={isPending ? null : <NoRuns isFiltered={status !== 'all'} />}
        foot={more && <Button onClick={more}>Show older runs</Button>}
      />
    </>
  );
}

function toneOfRun({ status }: Run): Tone | undefined {
  if (status === 'failed') return 'bad';
  return status === 'waiting' ? 'wait' : undefined;
}

function NoRuns({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <EmptyState icon={SearchX} title="No run is like this">
        <p>Change the filter above.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={ListChecks} title="No flow has run yet">
      <p>Open a flow and start a run, or call its hook.</p>
    </EmptyState>
  );
}
