import { useRecord } from '../data/queries.ts';
import type { Job } from '../data/records.ts';
import { Credits } from '../pieces/credits.tsx';
import { Drawer } from '../pieces/drawer.tsx';
import { ErrorNotice, Notice } from '../pieces/error-notice.tsx';
import { IdChip } from '../pieces/id-chip.tsx';
import { JsonView } from '../pieces/json-view.tsx';
import { Facts, Section } from '../pieces/page-head.tsx';
import { exactTime, RelativeTime } from '../pieces/relative-time.tsx';
import { StatusBadge } from '../pieces/status-badge.tsx';
import { JobEndings } from './job-endings.tsx';
import { JobProgress } from './job-progress.tsx';
import { JobResult } from './job-result.tsx';
import { isUnderWay, kindOf } from './job-state.ts';

/** One render: how far it is, what it came to, and how to end it by hand. */
export function JobDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error } = useRecord<Job>(`/jobs/${id}`);
  const job = data?.id === id ? data : undefined;
  return (
    <Drawer
      label="Job"
      title={
        job ? (
          <>
            <StatusBadge status={job.status} /> {kindOf(job)} by {job.model}
          </>
        ) : (
          id
        )
      }
      onClose={onClose}
    >
      <ErrorNotice error={error} />
      {job && <JobContents job={job} />}
    </Drawer>
  );
}

function JobContents({ job }: { job: Job }) {
  const { error } = job;
  return (
    <>
      {isUnderWay(job) && <JobEndings job={job} />}
      {error && (
        <Notice tone="bad" code={error.code}>
          {error.message}
        </Notice>
      )}
      <JobResult job={job} />
      <Section title="Facts">
        <Facts facts={factsOf(job)} />
      </Section>
      <Section title="Record">
        <JsonView value={job} label="Record of the job" />
      </Section>
    </>
  );
}

function factsOf(job: Job) {
  const { id, account_id, created, completed, credits, library_id, error } = job;
  return {
    Job: <IdChip id={id} />,
    Account: <IdChip id={account_id} />,
    Progress: isUnderWay(job) ? <JobProgress job={job} /> : null,
    Ordered: <Moment at={created} />,
    Ended: completed === undefined ? null : <Moment at={completed} />,
    Credits: (
      <>
        <Credits amount={credits} /> {error && <span className="soft">given back</span>}
      </>
    ),
    'In the gallery': library_id && <IdChip id={library_id} />,
  };
}

function Moment({ at }: { at: number }) {
  return (
    <>
      <RelativeTime at={at} /> <span className="soft">{exactTime(at)}</span>
    </>
  );
}
