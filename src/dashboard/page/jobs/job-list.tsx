import { ListChecks, SearchX } from 'lucide-react';
import type { Job } from '../data/records.ts';
import type { Column } from '../pieces/column.ts';
import { Credits } from '../pieces/credits.tsx';
import { DataList } from '../pieces/data-list.tsx';
import { EmptyState } from '../pieces/empty-state.tsx';
import { ErrorNotice } from '../pieces/error-notice.tsx';
import { MoreRows } from '../pieces/more-rows.tsx';
import { RelativeTime } from '../pieces/relative-time.tsx';
import { StatusBadge, type Tone } from '../pieces/status-badge.tsx';
import { JobProgress } from './job-progress.tsx';
import { kindOf, promptOf } from './job-state.ts';

const COLUMNS: readonly Column<Job>[] = [
  { title: 'State', width: '88px', cell: ({ status }) => <StatusBadge status={status} />, line: 1 },
  { title: 'Kind', width: '56px', cell: kindOf, line: 1 },
  { title: 'Made from', width: 'minmax(140px, 3fr)', cell: promptCell, line: 1, grow: true },
  {
    title: 'Progress',
    width: '168px',
    cell: (job) => <JobProgress job={job} />,
    line: 2,
    grow: true,
  },
  {
    title: 'Model',
    width: '136px',
    wide: true,
    cell: ({ model }) => <span className="soft">{model}</span>,
  },
  {
    title: 'Ordered',
    width: '88px',
    cell: ({ created }) => (
      <span className="soft">
        <RelativeTime at={created} />
      </span>
    ),
    line: 2,
  },
  {
    title: 'Credits',
    width: '64px',
    align: 'end',
    cell: creditsCell,
    line: 2,
  },
];

/** What a failed one cost came back. */
function creditsCell({ credits, status }: Job) {
  if (status !== 'failed') return <Credits amount={credits} />;
  return (
    <span className="soft" title={`${credits} credits, given back`}>
      <Credits amount={credits} /> back
    </span>
  );
}

function promptCell(job: Job) {
  const text = promptOf(job);
  return (
    <span title={text} dir="auto">
      {text}
    </span>
  );
}

const keyOfJob = ({ id }: Job) => id;

function toneOfJob({ status, progress }: Job): Tone | undefined {
  if (status === 'failed') return 'bad';
  return progress?.mode === 'manual' ? 'wait' : undefined;
}

interface JobListProps {
  jobs: {
    rows: readonly Job[];
    error: unknown;
    isPending: boolean;
    more: (() => void) | undefined;
  };
  /** There are others that are left out. */
  isFiltered: boolean;
  opened: string | undefined;
  onOpen: (id: string) => void;
}

/** Renders of every kind, newest first. */
export function JobList({ jobs, isFiltered, opened, onOpen }: JobListProps) {
  const { rows, error, isPending, more } = jobs;
  if (error && rows.length === 0) return <ErrorNotice error={error} />;
  return (
    <DataList
      label="Jobs"
      rows={rows}
      columns={COLUMNS}
      keyOf={keyOfJob}
      opened={opened}
      onOpen={onOpen}
      toneOf={toneOfJob}
      empty={isPending ? null : <NoJobs isFiltered={isFiltered} />}
      foot={more && <MoreRows more={more}>Show older jobs</MoreRows>}
    />
  );
}

function NoJobs({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <EmptyState icon={SearchX} title="No job is like this">
        <p>Change the search or the state above.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={ListChecks} title="Nothing was rendered yet">
      <p>Ask for a picture, a clip, a voice or a song, and its job appears here.</p>
    </EmptyState>
  );
}
