import * as icons from 'lucide-react';
import { useState } from 'react';
import type { WireAnswer } from '../../../control/call-operation.ts';
import type { StepType } from '../../../engine/flows/definition.ts';
import { ActionButton } from '../components/action-button.tsx';
import {
  column,
  type ListSpec,
  mutedColumn,
  type OpenRowProps,
  RecordList,
  relativeTimeColumn,
} from '../components/data-list.tsx';
import { RecordDrawer, type TabDrawerProps } from '../components/drawer.tsx';
import { LabelledField } from '../components/form.tsx';
import { MediaView } from '../components/media-view.tsx';
import { Notice, Section } from '../components/page-parts.tsx';
import {
  Badge,
  Credits,
  IdChip,
  JsonView,
  RelativeTime,
  StatusBadge,
  shortId,
  TextLink,
  type Tone,
} from '../components/values.tsx';
import { areaPathBuilders } from '../data/areas.ts';
import { callControl, loadableFileUrl, traceSource } from '../data/call-api.ts';
import { useFilteredRecords, useRecord } from '../data/queries.ts';
import type { FlowRun } from '../data/records.ts';

type WholeRun = WireAnswer<'showRun'>;
type RunOutput = WholeRun['outputs'][number];

export const STEP_ICONS: Record<StepType, icons.LucideIcon> = {
  text: icons.FileText,
  image: icons.Image,
  video: icons.Video,
  music: icons.Music,
  speech: icons.Mic,
  post: icons.Send,
};

function progressOf({ status, step, failure }: FlowRun): string {
  if (failure) return `step ${failure.step}: ${failure.message}`;
  return status === 'done' ? 'finished' : `at step ${step}`;
}

const TONES: Partial<Record<FlowRun['status'], Tone>> = { failed: 'bad', waiting: 'wait' };

const RUNS: ListSpec<FlowRun> = {
  label: 'Runs',
  search: 'Search runs',
  columns: [
    column('Status', '72px', ({ status }) => <StatusBadge status={status} />, { line: 1 }),
    column('Flow', 'minmax(120px, 1fr)', ({ flow }) => flow.name, { line: 1, grow: true }),
    mutedColumn('Progress', 'minmax(80px, 2fr)', progressOf, { line: 2, grow: true }),
    mutedColumn('Started by', '80px', starterOf, { wide: true }),
    mutedColumn('Run', '128px', ({ id }) => <code>{shortId(id)}</code>, { wide: true }),
    column('Credits', '64px', ({ credits }) => <Credits amount={credits} />, { align: 'end', line: 1 }),
    relativeTimeColumn('Started', ({ startedAt }) => startedAt, { align: 'end', line: 2 }),
  ],
  toneOf: ({ status }) => TONES[status],
  choices: {
    name: 'status',
    label: 'Status',
    options: { all: 'All', running: 'Running', waiting: 'Waiting', done: 'Done', failed: 'Failed' },
  },
  none: {
    icon: icons.ListChecks,
    title: 'No runs yet',
    description: 'Open a flow and start a run, or call its hook.',
  },
};

function starterOf({ source }: FlowRun): string {
  return source === 'webhook' ? 'webhook' : 'manually';
}

export function RunsTab(opening: OpenRowProps) {
  return <RecordList {...RUNS} {...opening} found={useFilteredRecords('listRuns', {}, RUNS)} />;
}

/** Milliseconds between reloads of a run, whose steps the live stream does not report. */
const AGAIN = 400;

export function RunDrawer({ id, onClose }: TabDrawerProps) {
  const found = useRecord('showRun', id);
  useRecord('showRun', id, { again: found.record?.status === 'running' && AGAIN });
  return (
    <RecordDrawer
      {...found}
      {...{ label: 'Run', onClose, details: detailsOf }}
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
            <Section title="Waiting for approval">
              <WaitingPost key={run.id} run={run} waiting={run.waiting} />
            </Section>
          )}
          <Section title="Steps" tools={run.status !== 'done' && run.status !== 'failed' && <Cancel id={id} />}>
            <RunSteps run={run} />
          </Section>
        </>
      )}
    >
      {({ inputs }) => (
        <Section title="Inputs">
          <JsonView value={inputs} label="Inputs of the run" />
        </Section>
      )}
    </RecordDrawer>
  );
}

function detailsOf(run: WholeRun) {
  const { id, flow, account_id, credits, startedAt, finishedAt } = run;
  return {
    Run: <IdChip id={id} />,
    Timeline: <TextLink href={areaPathBuilders.timeline(id)} text="View timeline" />,
    Flow: <IdChip id={flow.id} />,
    'Paid by': <IdChip id={account_id} />,
    'Started by': starterOf(run),
    Credits: <Credits amount={credits} />,
    Started: <RelativeTime at={startedAt} />,
    Ended: finishedAt && <RelativeTime at={finishedAt} />,
  };
}

function Cancel({ id }: { id: string }) {
  return (
    <ActionButton
      text="Cancel the run"
      icon={icons.CircleStop}
      act={() => callControl('cancelRun', { id })}
      toast={['The run was cancelled']}
      confirm={{
        title: 'Cancel this run?',
        note: 'The current step fails and is refunded. Results so far are kept.',
        action: 'Cancel it',
      }}
    />
  );
}

function RunSteps({ run }: { run: WholeRun }) {
  return (
    <ol className="stack" aria-label="Steps of the run">
      {run.steps.map(({ nodeId, type }, position) => {
        const number = position + 1;
        const Icon = STEP_ICONS[type];
        const output = run.outputs.find(({ step }) => step === number);
        const { text, tone } = stateOf(run, number, output);
        return (
          <li key={nodeId} className="run-step framed stack" data-tone={tone}>
            <div className="row wrap">
              <span className="soft fixed">{number}</span>
              <Icon aria-hidden />
              <strong>{nodeId}</strong>
              <span className="soft">{type}</span>
              <span className="grow" />
              {output?.creationId && <IdChip id={output.creationId} />}
              <Badge tone={tone}>{text}</Badge>
            </div>
            {output && <OutputView output={output} outputs={run.outputs} />}
          </li>
        );
      })}
    </ol>
  );
}

function stateOf(run: WholeRun, number: number, output: RunOutput | undefined): { text: string; tone: Tone } {
  if (output) return { text: 'done', tone: 'good' };
  if (run.failure?.step === number) return { text: 'failed', tone: 'bad' };
  if (run.step !== number || run.status === 'failed') return { text: 'not started', tone: 'plain' };
  return { text: run.status === 'waiting' ? 'waiting' : 'running', tone: 'wait' };
}

function WaitingPost({ run, waiting }: { run: WholeRun; waiting: NonNullable<WholeRun['waiting']> }) {
  const { text, url, nodeId } = waiting;
  const [edited, setEdited] = useState(text ?? '');
  const decide = (order: { choice: 'approve' | 'reject'; text?: string }) =>
    callControl('clickRun', { id: run.id, ...order });
  const isChanged = edited !== (text ?? '');
  return (
    <div className="stack">
      {text !== undefined && (
        <LabelledField label="Text of the post" note={isChanged && 'Edited.'}>
          <textarea
            className="input"
            dir="auto"
            rows={6}
            readOnly={traceSource.value !== undefined}
            value={edited}
            onChange={(event) => setEdited(event.target.value)}
          />
        </LabelledField>
      )}
      <div className="drawer-tools row wrap">
        <ActionButton
          text={isChanged ? 'Approve with this text' : 'Approve'}
          icon={icons.Check}
          variant="primary"
          act={() => decide(isChanged ? { choice: 'approve', text: edited } : { choice: 'approve' })}
          toast={['Approved']}
        />
        <ActionButton {...REJECT} act={() => decide({ choice: 'reject' })} />
      </div>
      {url !== undefined && <OutputView output={{ kind: 'post', url, nodeId }} outputs={run.outputs} />}
    </div>
  );
}

const REJECT = { text: 'Reject', icon: icons.X, toast: ['Rejected. The run failed.'] } as const;

interface OutputViewProps {
  output: Pick<RunOutput, 'kind' | 'text' | 'url' | 'nodeId'>;
  outputs: readonly RunOutput[];
}

function OutputView({ output, outputs }: OutputViewProps) {
  const { text, url, nodeId } = output;
  const isFile = url && fileOf(url).startsWith('/cdn/');
  const file = { url: url ?? '', content_type: `${kindOf(output, outputs)}/*` };
  return (
    <div className="stack">
      {text !== undefined && (
        <p className="pre" dir="auto">
          {text}
        </p>
      )}
      {isFile ? <MediaView file={file} label={`Output of ${nodeId}`} /> : url && <code>{url}</code>}
    </div>
  );
}

function fileOf(url: string): string {
  return loadableFileUrl(url).split('?')[0] ?? '';
}

function kindOf({ kind, url }: OutputViewProps['output'], outputs: readonly RunOutput[]): string {
  if (kind !== 'post') return kind;
  const file = fileOf(url ?? '');
  const made = outputs.find((other) => other.kind !== 'post' && other.url && fileOf(other.url) === file);
  return made?.kind ?? 'image';
}
