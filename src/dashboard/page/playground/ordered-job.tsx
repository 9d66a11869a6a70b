import { Link } from 'wouter';
import { useSecond } from '../data/emulator-clock.ts';
import { at } from '../data/paths.ts';
import type { Job } from '../data/records.ts';
import { steadyUrls } from '../data/steady-urls.ts';
import { Notice } from '../pieces/error-notice.tsx';
import { IdChip } from '../pieces/id-chip.tsx';
import { MediaView } from '../pieces/media-view.tsx';
import { lengthOfTime } from '../pieces/relative-time.tsx';
import { StatusBadge } from '../pieces/status-badge.tsx';
import { isFinal } from './call-runner.ts';

/** How far a job is by what polling says, and what it came to. */
export function OrderedJob({ job }: { job: Job }) {
  const { id, status, created, completed, result_url, content_type, library_id, error } = job;
  const now = useSecond();
  const elapsed = Math.max(0, (completed ?? now) - created);
  return (
    <section className="ordered-job framed stack" aria-label={`Job ${id}`}>
      <p className="row wrap">
        <StatusBadge status={status} />
        <IdChip id={id} />
        {library_id && <IdChip id={library_id} />}
        <span className="soft">{lengthOfTime(elapsed)}</span>
      </p>
      {!isFinal(job) && (
        <>
          <progress aria-label={`Job is ${status}`} />
          <p className="soft">
            Polled as a client does.{' '}
            <Link className="named mono" href={at.jobs(id)}>
              Finish it by hand
            </Link>
          </p>
        </>
      )}
      {error && (
        <Notice tone="bad" code={error.code}>
          {error.message}
        </Notice>
      )}
      {result_url && content_type && (
        <MediaView
          url={steadyUrls.of(result_url)}
          contentType={content_type}
          label={`Result of ${job.take === undefined ? 'the job' : `take ${job.take}`}`}
        />
      )}
    </section>
  );
}
