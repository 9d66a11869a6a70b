import { CircleStop } from 'lucide-react';
import { callControl } from '../data/call-api.ts';
import { useAct, useRecord } from '../data/queries.ts';
import { Button } from '../pieces/button.tsx';
import { Confirm } from '../pieces/confirm.tsx';
import { Credits } from '../pieces/credits.tsx';
import { Drawer } from '../pieces/drawer.tsx';
import { ErrorNotice, Notice } from '../pieces/error-notice.tsx';
import { IdChip } from '../pieces/id-chip.tsx';
import { JsonView } from '../pieces/json-view.tsx';
import { Facts, Section } from '../pieces/page-head.tsx';
import { RelativeTime } from '../pieces/relative-time.tsx';
import { StatusBadge } from '../pieces/status-badge.tsx';
import { say, sayError } from '../pieces/toast.tsx';
import type { WholeRun } from './flow-records.ts';
import { RunSteps } from './run-steps.tsx';

/** How long until a run that is under way is asked for again, in milliseconds: of steps the live stream does not tell. */
const AGAIN = 400;

/** One run, step by step as they happen. */
export function RunDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const path = `/runs/${id}`;
  const { data, error } = useRecord<WholeRun>(path);
  const run = data?.id === id ? data : undefined;
  useRecord<WholeRun>(path, { again: run?.status === 'running' && AGAIN });
  const title = run ? (
    <>
      <StatusBadge status={run.status} /> {run.flow.name}
    </>
  ) : (
    id
  );
  return (
    <Drawer label="Run" title={title} onClose={onClose}>
      <ErrorNotice error={run ? undefined : error} />
      {run && <RunContents run={run} />}
    </Drawer>
  );
}

function RunContents({ run }: { run: WholeRun }) {
  const { status, failure, inputs } = run;
  const isOver = status === 'done' || status === 'failed';
  return (
    <>
      {!isOver && (
        <div className="flow-buttons">
          <CancelButton id={run.id} />
        </div>
      )}
      {failure && (
        <Notice tone="bad">
          Step {failure.step} ({failure.nodeId}): {failure.message}
        </Notice>
      )}
      <Section title="Steps">
        <RunSteps run={run} />
      </Section>
      <Section title="Inputs">
        <JsonView value={inputs} label="Inputs of the run" />
      </Section>
      <Section title="Facts">
        <Facts facts={factsOf(run)} />
      </Section>
    </>
  );
}

function factsOf(run: WholeRun) {
  const { id, flow, version, account_id, source, credits, startedAt, finishedAt } = run;
  return {
    Run: <IdChip id={id} />,
    Flow: <IdChip id={flow.id} />,
    Version: version,
    'Paid by': <IdChip id={account_id} />,
    'Begun by': source === 'webhook' ? 'its hook' : 'hand',
    Credits: <Credits amount={credits} />,
    Started: <RelativeTime at={startedAt} />,
    Ended: finishedAt && <RelativeTime at={finishedAt} />,
  };
}

function CancelButton({ id }: { id: string }) {
  const cancel = useAct(
    () => callControl<WholeRun>('POST', `/runs/${id}/cancel`),
    () => say('The run was cancelled'),
  );
  return (
    <Confirm
      trigger={<Button icon={<CircleStop aria-hidden />}>Cancel the run</Button>}
      title="Cancel this run?"
      note="It fails where it stands, and that step is refunded. What was made stays."
      action="Cancel it"
      onConfirm={() => cancel.mutate(undefined, { onError: sayError })}
    />
  );
}
