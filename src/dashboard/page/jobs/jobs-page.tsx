import { useState } from 'react';
import { useAccounts, useOnlyAccount } from '../data/chosen-account.ts';
import { usePages } from '../data/queries.ts';
import type { Job } from '../data/records.ts';
import { Choices } from '../pieces/choices.tsx';
import { Split } from '../pieces/drawer.tsx';
import { Figures } from '../pieces/figures.tsx';
import { PageHead } from '../pieces/page-head.tsx';
import { SearchField } from '../pieces/search-field.tsx';
import { useFilter } from '../pieces/use-filter.ts';
import { useOpened } from '../pieces/use-opened.ts';
import { ClockFigure } from './clock-figure.tsx';
import { JobDrawer } from './job-drawer.tsx';
import { JobList } from './job-list.tsx';
import { isUnderWay, sortsOf } from './job-state.ts';
import { ProgressionFigure } from './progression-figure.tsx';
import './jobs.css';

const STATES = [
  ['all', 'All'],
  ['open', 'Under way'],
  ['succeeded', 'Succeeded'],
  ['failed', 'Failed'],
] as const;

/** Milliseconds after which open jobs are looked at again. */
const AGAIN = 2000;

/** The queue, and the two things that move it: the clock and the progression. */
export default function JobsPage() {
  const { account } = useAccounts();
  const { id, open, close } = useOpened('jobs');
  const [text, setText] = useFilter('q');
  const [state, setState] = useFilter('state', 'all');
  const only = useOnlyAccount();
  const [isMoving, setIsMoving] = useState(false);
  const jobs = usePages<Job>('/jobs', {
    params: { account_id: only },
    again: isMoving && AGAIN,
  });
  const hasOpen = jobs.rows.some(isUnderWay);
  if (hasOpen !== isMoving) setIsMoving(hasOpen);
  return (
    <Split drawer={id && <JobDrawer id={id} onClose={close} />}>
      <PageHead title="Jobs and time">
        <SearchField label="Search jobs" value={text} onChange={setText} />
        <Choices label="State" value={state} options={STATES} onChange={setState} />
      </PageHead>
      <div className="measured">
        <Figures>
          <ClockFigure />
          {account && <ProgressionFigure key={account.id} account={account} />}
        </Figures>
        <JobList
          jobs={{ ...jobs, rows: sortsOf(jobs.rows, { state, text }) }}
          isFiltered={jobs.rows.length > 0}
          opened={id}
          onOpen={open}
        />
      </div>
    </Split>
  );
}
