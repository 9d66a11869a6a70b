import { useSecond } from '../data/emulator-clock.ts';
import type { Job } from '../data/records.ts';
import { agoColumn, type Column, column, softColumn, textColumn } from '../pieces/columns.tsx';
import { Credits, lengthOfTime, StatusBadge, type Tone, Toned } from '../pieces/values.tsx';

export const JOB_COLUMNS: readonly Column<Job>[] = [
  column('State', '88px', ({ status }) => <StatusBadge status={status} />, { line: 1 }),
  column('Kind', '56px', kindOf, { line: 1 }),
  textColumn('Made from', 'minmax(140px, 3fr)', promptOf, { line: 1, grow: true }),
  column('Progress', '168px', (job) => <JobProgress job={job} />, { line: 2, grow: true }),
  softColumn('Model', '136px', ({ model }) => model, { wide: true }),
  agoColumn('Ordered', ({ created }) => created, { line: 2 }),
  column('Credits', '64px', creditsCell, { align: 'end', line: 2 }),
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

export function toneOfJob({ status, progress }: Job): Tone | undefined {
  if (status === 'failed') return 'bad';
  return progress?.mode === 'manual' ? 'wait' : undefined;
}

/** How far a job is, or how long it took. */
function JobProgress({ job }: { job: Job }) {
  const now = useSecond();
  if (!isUnderWay(job)) return <Ending job={job} />;
  const share = shareOf(job, now);
  const text = waitText(job, now);
  if (share === undefined) return <Toned tone="wait">{text}</Toned>;
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
      <Toned tone="bad" code>
        {error.code}
      </Toned>
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

export function isUnderWay({ status }: Job): boolean {
  return status === 'queued' || status === 'processing';
}

const KINDS: Record<string, string> = {
  'image.generation': 'Picture',
  'video.generation': 'Clip',
  'audio.speech': 'Voice',
  'music.generation': 'Song',
};

function kindOf({ object }: Job): string {
  return KINDS[object] ?? object;
}

/** What a job is made from, in a line. */
function promptOf({ prompt, input, title, style }: Job): string {
  return String(prompt ?? input ?? title ?? style ?? '');
}

/** What share of its way an open job has made, from 0 to 1; undefined where nothing tells. */
function shareOf({ created, progress }: Job, now: number): number | undefined {
  if (!progress) return undefined;
  const { due, share } = progress;
  if (due === null) return share ?? undefined;
  return Math.min(1, Math.max(0, (now - created) / Math.max(1, due - created)));
}
