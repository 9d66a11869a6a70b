import { useSecond } from '../data/emulator-clock.ts';
import type { Job } from '../data/records.ts';
import { lengthOfTime } from '../pieces/relative-time.tsx';
import { isUnderWay, shareOf } from './job-state.ts';

/** How far a job is, or how long it took. */
export function JobProgress({ job }: { job: Job }) {
  const now = useSecond();
  if (!isUnderWay(job)) return <Ending job={job} />;
  const share = shareOf(job, now);
  const text = waitText(job, now);
  if (share === undefined)
    return (
      <span className="toned" data-tone="wait">
        {text}
      </span>
    );
  return (
    <span className="job-progress row">
      <progress aria-label={`Progress of ${job.id}`} value={share} max={1} />
      {text}
    </span>
  );
}

function Ending({ job: { created, completed, error } }: { job: Job }) {
  if (error)
    return (
      <code className="toned" data-tone="bad">
        {error.code}
      </code>
    );
  if (completed === undefined) return null;
  return <span className="soft">{lengthOfTime(completed - created)}</span>;
}

function waitText({ progress }: Job, now: number): string {
  if (!progress) return 'renders';
  const { mode, due, share } = progress;
  if (mode === 'manual') return 'waits for you';
  if (due !== null) return due <= now ? 'any moment' : `due in ${lengthOfTime(due - now)}`;
  return share === null ? 'renders' : `${Math.round(share * 100)} % of polls`;
}
