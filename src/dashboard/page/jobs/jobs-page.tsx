import { ListChecks } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAccounts, useSecond } from '../data/account-and-clock.ts';
import { at, useFilter } from '../data/addresses.ts';
import type { Job } from '../data/records.ts';
import { agoColumn, type Column, column, softColumn, textColumn } from '../pieces/data-list.tsx';
import { Figures, PageHead } from '../pieces/page-parts.tsx';
import { type ListSpec, RecordList, useRecords } from '../pieces/record-list.tsx';
import { Credits, lengthOfTime, StatusBadge, type Tone, Toned } from '../pieces/values.tsx';
import { ClockFigure, ProgressionFigure } from './job-figures.tsx';

const STATES = Object.entries({ all: 'All', open: 'Under way', succeeded: 'Succeeded', failed: 'Failed' });

/** How often open jobs are reloaded, in milliseconds. */
const AGAIN = 2000;

const JOB_COLUMNS: readonly Column<Job>[] = [
  column('State', '88px', ({ status }) => <StatusBadge status={status} />, { line: 1 }),
  column('Kind', '56px', kindOf, { line: 1 }),
  textColumn('Made from', 'minmax(140px, 3fr)', promptOf, { line: 1, grow: true }),
  column('Outcome', '168px', (job) => <JobProgress job={job} />, { line: 2, grow: true }),
  softColumn('Model', '136px', ({ model }) => model, { wide: true }),
  agoColumn('Ordered', ({ created }) => created, { line: 2 }),
  column('Credits', '64px', creditsCell, { align: 'end', line: 2 }),
];

const LIST: ListSpec<Job> = {
  ...{ label: 'Jobs', search: 'Search jobs', columns: JOB_COLUMNS, toneOf: toneOfJob },
  choices: { name: 'status', label: 'State', options: STATES },
  none: {
    ...{ icon: ListChecks, title: 'No jobs yet' },
    description: 'Request a picture, clip, voice or song, and its job appears here.',
  },
};

/** The jobs, with the clock and the progression that settle them. A job opens as its order. */
export default function JobsPage() {
  const { account } = useAccounts();
  const [, navigate] = useLocation();
  const [state] = useFilter('status', 'all');
  const [isMoving, setIsMoving] = useState(false);
  const status = state === 'all' ? undefined : state;
  const found = useRecords<Job>('/jobs', { params: { status }, again: isMoving && AGAIN });
  const hasOpen = found.rows.some(isUnderWay);
  if (hasOpen !== isMoving) setIsMoving(hasOpen);
  return (
    <>
      <PageHead title="Jobs and time" />
      <div className="measured column fill">
        <Figures>
          <ClockFigure />
          {account && <ProgressionFigure key={account.id} account={account} />}
        </Figures>
        <RecordList {...LIST} found={found} onOpen={(id) => navigate(at.trail(id))} />
      </div>
    </>
  );
}

/** A failed job shows its refund. */
function creditsCell({ credits, status }: Job) {
  if (status !== 'failed') return <Credits amount={credits} />;
  return (
    <span className="soft" title={`${credits} credits, refunded`}>
      <Credits amount={credits} /> back
    </span>
  );
}

function toneOfJob({ status, progress }: Job): Tone | undefined {
  if (status === 'failed') return 'bad';
  return progress?.mode === 'manual' ? 'wait' : undefined;
}

/** The progress of a job, or how long it took. */
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
  return <span className="soft">after {lengthOfTime(completed - created)}</span>;
}

function waitText({ progress }: Job, now: number): string {
  if (!progress) return 'renders';
  const { mode, due, share } = progress;
  if (mode === 'manual') return 'waits for you';
  if (due !== null) return due <= now ? 'any moment' : `due in ${lengthOfTime(due - now)}`;
  return share === null ? 'renders' : `${Math.round(share * 100)} % of polls`;
}

function isUnderWay({ status }: Job): boolean {
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

/** The prompt of a job, in one line. */
function promptOf({ prompt, input, title, style }: Job): string {
  return String(prompt ?? input ?? title ?? style ?? '');
}

/** How far an open job is, from 0 to 1; undefined when unknown. */
function shareOf({ created, progress }: Job, now: number): number | undefined {
  if (!progress) return undefined;
  const { due, share } = progress;
  if (due === null) return share ?? undefined;
  return Math.min(1, Math.max(0, (now - created) / Math.max(1, due - created)));
}
