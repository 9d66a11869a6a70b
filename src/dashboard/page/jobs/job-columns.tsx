import type { Job } from '../data/records.ts';
import type { Column } from '../pieces/column.ts';
import { Credits } from '../pieces/credits.tsx';
import { StatusBadge, type Tone } from '../pieces/status-badge.tsx';
import { agoColumn, softColumn } from '../pieces/time-column.tsx';
import { JobProgress } from './job-progress.tsx';
import { kindOf, promptOf } from './job-state.ts';

export const JOB_COLUMNS: readonly Column<Job>[] = [
  { title: 'State', width: '88px', cell: ({ status }) => <StatusBadge status={status} />, line: 1 },
  { title: 'Kind', width: '56px', cell: kindOf, line: 1 },
  { title: 'Made from', width: 'minmax(140px, 3fr)', cell: promptCell, line: 1, grow: true },
  { title: 'Progress', width: '168px', cell: (job) => <JobProgress job={job} />, line: 2, grow: true },
  softColumn('Model', '136px', ({ model }) => model, { wide: true }),
  agoColumn('Ordered', ({ created }) => created, { line: 2 }),
  { title: 'Credits', width: '64px', align: 'end', cell: creditsCell, line: 2 },
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

export function toneOfJob({ status, progress }: Job): Tone | undefined {
  if (status === 'failed') return 'bad';
  return progress?.mode === 'manual' ? 'wait' : undefined;
}
