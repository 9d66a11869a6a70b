import { ListChecks } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAccounts } from '../data/chosen-account.ts';
import { at } from '../data/paths.ts';
import type { Job } from '../data/records.ts';
import { Figures, PageHead } from '../pieces/page-parts.tsx';
import { type ListSpec, RecordList, useRecords } from '../pieces/record-list.tsx';
import { useFilter } from '../pieces/use-address.ts';
import { isUnderWay, JOB_COLUMNS, toneOfJob } from './job-columns.tsx';
import { ClockFigure, ProgressionFigure } from './job-figures.tsx';
import './jobs.css';

const STATES = Object.entries({ all: 'All', open: 'Under way', succeeded: 'Succeeded', failed: 'Failed' });

/** Milliseconds after which open jobs are looked at again. */
const AGAIN = 2000;

const LIST: ListSpec<Job> = {
  ...{ label: 'Jobs', search: 'Search jobs', columns: JOB_COLUMNS, toneOf: toneOfJob },
  choices: { name: 'status', label: 'State', options: STATES },
  none: {
    ...{ icon: ListChecks, title: 'Nothing was rendered yet' },
    says: 'Ask for a picture, a clip, a voice or a song, and its job appears here.',
  },
};

/** The queue, and the two things that move it: the clock and the progression. A job opens as its order. */
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
