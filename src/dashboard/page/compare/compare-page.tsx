import { Columns2 } from 'lucide-react';
import { useMemo } from 'react';
import { compareRuns } from '../../../trace/compare-runs.ts';
import { useStore } from '../data/page-store.ts';
import { recordSource } from '../data/record-source.ts';
import { secondRun } from '../data/second-run.ts';
import { EmptyState } from '../pieces/empty-state.tsx';
import { PageHead } from '../pieces/page-head.tsx';
import { BothTable } from './both-table.tsx';
import { CompareFigures } from './compare-figures.tsx';
import { FieldTable } from './field-table.tsx';
import { readSecondRun } from './read-second-run.ts';
import { StepPairs } from './step-pairs.tsx';
import './compare.css';

/** Two runs beside one another: where they part, and what that cost. */
export default function ComparePage() {
  const other = useStore(secondRun);
  const own = useStore(recordSource)?.trace;
  const compared = useMemo(() => own && other && compareRuns(own, other.trace), [own, other]);
  return (
    <>
      <PageHead title="Two runs">
        <span className="page-head-gap" />
        <label className="button">
          {other ? 'Another file' : 'Choose the second trace'}
          <input
            className="unseen"
            type="file"
            accept=".html,text/html"
            onChange={({ target }) => {
              const [file] = target.files ?? [];
              if (file) void readSecondRun(file);
              target.value = '';
            }}
          />
        </label>
      </PageHead>
      {own && other && compared ? (
        <div className="compare">
          <CompareFigures compared={compared} />
          <div className="compare-parts">
            <StepPairs compared={compared} names={[own.head.title, other.trace.head.title]} />
            <div>
              <BothTable title="Credits by model" rows={compared.spend.byModel} />
              <BothTable title="Answers that differ" rows={compared.answers} />
              <FieldTable rows={compared.fields} />
            </div>
          </div>
        </div>
      ) : (
        <EmptyState icon={Columns2} title="There is one run so far">
          <p>Drop a second trace onto this page: it is read here, and goes nowhere.</p>
        </EmptyState>
      )}
    </>
  );
}
