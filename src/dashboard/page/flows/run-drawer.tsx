import { CircleStop } from 'lucide-react';
import { Link } from 'wouter';
import { callControl } from '../data/call-api.ts';
import { at } from '../data/paths.ts';
import { useOne } from '../data/queries.ts';
import { Act } from '../pieces/act.tsx';
import { Credits } from '../pieces/credits.tsx';
import { Notice } from '../pieces/error-notice.tsx';
import { IdChip } from '../pieces/id-chip.tsx';
import { JsonView } from '../pieces/json-view.tsx';
import { Section } from '../pieces/page-head.tsx';
import { RecordDrawer } from '../pieces/record-drawer.tsx';
import { RelativeTime } from '../pieces/relative-time.tsx';
import { StatusBadge } from '../pieces/status-badge.tsx';
import type { WholeRun } from './flow-records.ts';
import { RunSteps } from './run-steps.tsx';
import { WaitingPost } from './waiting-post.tsx';

/** How long until a run that is under way is asked for again, in milliseconds: of steps the live stream does not tell. */
const AGAIN = 400;

/** One run, step by step as they happen. */
export function RunDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { record, error } = useOne<WholeRun>('/runs', id);
  useOne<WholeRun>('/runs', id, { again: record?.status === 'running' && AGAIN });
  return (
    <RecordDrawer
      {...{ label: 'Run', id, record, error, onClose }}
      title={({ status, flow }) => (
        <>
          <StatusBadge status={status} /> {flow.name}
        </>
      )}
      before={(run) => (
        <>
          {run.failure && (
            <Notice tone="bad">
              Step {run.failure.step} ({run.failure.nodeId}): {run.failure.message}
            </Notice>
          )}
          {run.waiting && (
            <Section title="It waits for you">
              <WaitingPost key={run.id} run={run} waiting={run.waiting} />
            </Section>
          )}
          <Section title="Steps" tools={run.status !== 'done' && run.status !== 'failed' && <Cancel id={id} />}>
            <RunSteps run={run} />
          </Section>
        </>
      )}
      facts={factsOf}
    >
      {({ inputs }) => (
        <Section title="Inputs">
          <JsonView value={inputs} label="Inputs of the run" />
        </Section>
      )}
    </RecordDrawer>
  );
}

function factsOf(run: WholeRun) {
  const { id, flow, version, account_id, source, credits, startedAt, finishedAt } = run;
  return {
    Run: <IdChip id={id} />,
    Order: (
      <Link className="named mono" href={at.trail(id)}>
        Its trail
      </Link>
    ),
    Flow: <IdChip id={flow.id} />,
    Version: version,
    'Paid by': <IdChip id={account_id} />,
    'Begun by': source === 'webhook' ? 'its hook' : 'hand',
    Credits: <Credits amount={credits} />,
    Started: <RelativeTime at={startedAt} />,
    Ended: finishedAt && <RelativeTime at={finishedAt} />,
  };
}

function Cancel({ id }: { id: string }) {
  return (
    <Act
      text="Cancel the run"
      icon={CircleStop}
      act={() => callControl<WholeRun>('POST', `/runs/${id}/cancel`)}
      said={['The run was cancelled']}
      ask={{
        title: 'Cancel this run?',
        note: 'It fails where it stands, and that step is refunded. What was made stays.',
        action: 'Cancel it',
      }}
    />
  );
}
